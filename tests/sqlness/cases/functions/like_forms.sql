SELECT 'abc' LIKE 'a%', 'abc' LIKE '_b_', 'abc' LIKE 'c', 'ABC' ILIKE 'a%', 'abc' NOT LIKE 'a%', NULL LIKE 'a';

SELECT 'a%c' LIKE 'a\%c', 'abc' LIKE 'a\%c', 'a%c' LIKE 'a!%c' ESCAPE '!', 'a\c' LIKE 'a\\c', 'a\c' LIKE 'a\c' ESCAPE '';

SELECT 'abc' SIMILAR TO '(a|z)bc', 'abc' SIMILAR TO 'ab', 'aaa' SIMILAR TO 'a{3}', 'abc' NOT SIMILAR TO '%b%', 'a+c' SIMILAR TO 'a\+c';

SELECT 'abc' ~ '^a', 'abc' ~* 'B', 'abc' !~ 'd', 'abc' !~* 'B', 'a.c' ~ 'a\.c';

SELECT 'abc' LIKE 'abc\';

SELECT 'abc' LIKE 'a' ESCAPE 'xx';

SELECT 'abc' LIKE ANY (ARRAY['x%', '%c']), 'abc' LIKE ALL (ARRAY['a%', 'x%']), 'abc' ~~ 'a%' AS op, 'abc' !~~* 'A%' AS nop;

SELECT 'é' LIKE '_', '日本' LIKE '_本', '' LIKE '%', '' LIKE '_';
