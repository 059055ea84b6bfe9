SELECT substring('postgres' FROM 3 FOR 2), substring('postgres', 3), substr('postgres', -1, 4), substring('postgres' FOR 4);

SELECT substring('postgres', 2, -1);

SELECT left('abcde', 2), left('abcde', -2), right('abcde', 2), right('abcde', -2), left('abc', 10), left('abc', 0);

SELECT position('b' IN 'abc'), strpos('abc', 'z'), position('' IN 'abc'), strpos('äbc', 'c');

SELECT overlay('abcdef' PLACING 'XX' FROM 3), overlay('abcdef' PLACING 'XX' FROM 3 FOR 4), overlay('abcdef' PLACING '' FROM 2 FOR 1);

SELECT split_part('a,b,c', ',', 2), split_part('a,b,c', ',', 9), split_part('a,b,c', ',', -1), split_part('abc', '', 1);

SELECT split_part('a,b', ',', 0);

SELECT starts_with('alphabet', 'alph'), 'alphabet' ^@ 'bet' AS op, starts_with(NULL, 'a');

SELECT string_to_array('a,b,,c', ','), string_to_array('a,b,,c', ',', ''), string_to_array('abc', NULL), string_to_array('', ','), array_to_string(ARRAY['a', NULL, 'c'], ',', '*');

SELECT translate('12345', '143', 'ax'), replace('abcabc', 'b', 'XX'), replace('abc', '', 'x');
