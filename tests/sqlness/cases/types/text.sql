SELECT 'a' || 'b', upper('aé'), length('héé'), substring('hello' FROM 2 FOR 3), position('l' IN 'hello');

SELECT 'abc' LIKE 'a%', 'abc' LIKE 'A%', 'abc' ILIKE 'A%', 'a_c' LIKE 'a\_c';

SELECT trim('  x '), ltrim('xxy', 'x'), lpad('7', 3, '0'), repeat('ab', 3), reverse('abc');

SELECT 'toolong'::varchar(3);

SELECT E'a\tb' = 'a' || chr(9), $$it's$$;

SELECT 123::varchar(2), 12345::char(3), true::varchar(2), ARRAY[123]::varchar(2)[];
