SELECT 'abc'::char(5) || '|', 'abc'::varchar(2), 'abc  '::char(3) = 'abc', length('ab '::char(3)), octet_length('ab '::char(3));

CREATE TABLE ch (c char(3), v varchar(3), t text);

INSERT INTO ch VALUES ('a', 'b', 'c'), ('ab ', 'ab ', 'ab ');

INSERT INTO ch VALUES ('abcd', 'x', 'y');

INSERT INTO ch VALUES ('x', 'abcd', 'y');

INSERT INTO ch VALUES ('abc   ', 'abc   ', 'y');

SELECT c || '|' AS c, v || '|' AS v, t || '|' AS t, length(c), length(v) FROM ch ORDER BY t;

SELECT 'a'::"char", 'abc'::"char", ''::"char" = '';

SELECT 'abc'::name, length(repeat('x', 100)::name);

SELECT 'a' < 'B', 'a' < 'b', 'Z' < 'a', 'é' > 'z', '' < 'a', 'a ' > 'a';

SELECT 'x'::varchar(0);

SELECT cast('abc' AS varchar(10)), pg_typeof('a'::char(2)), pg_typeof('a'::varchar), pg_typeof('a');

SELECT max(c), min(v), c FROM ch GROUP BY c ORDER BY c;

DROP TABLE ch;
