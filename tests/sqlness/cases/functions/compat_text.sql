-- Text functions of MySQL; positions count characters.
SELECT locate('o', 'hello world') AS first, locate('o', 'hello world', 6) AS next, locate('x', 'hello') AS none,
       locate('', 'ab') AS nothing, instr('grüße', 'ß') AS umlaut, locate('a', NULL) AS unknown;

SELECT elt(2, 'a', 'b') AS second, elt(3, 'a', 'b') AS none, elt(NULL, 'a') AS unknown,
       field('b', 'a', 'b') AS at, field('B', 'a', 'b') AS other_case, field(NULL, 'a') AS of_null;

SELECT insert('Quadratic', 3, 4, 'What') AS some, insert('Quadratic', 3, 100, 'What') AS rest,
       insert('abc', 0, 1, 'x') AS outside, insert('grün', 3, 1, 'a') AS umlaut;

SELECT '[' || space(3) || ']' AS three, '[' || space(-1) || ']' AS none;

-- @@ looks for a term between other characters than letters and digits.
SELECT 'a cat!' @@ 'cat' AS term, 'category' @@ 'cat' AS part, 'Cat' @@ 'cat' AS other_case;

SELECT clamp(10, 0, 1) AS high, clamp(-3, 0, 1) AS low, clamp(0.5, 0, 1) AS inside, clamp_min(3, 5) AS at_least,
       clamp_max(3.5, 2) AS at_most, clamp(NULL, 0, 1) AS unknown;

SELECT clamp(1, 5, 2);

SELECT mod(7.5::float8, 2) AS rest, -7.5::float8 % 2 AS sign_of_first, 'nan'::float8 % 2 AS nan;

SELECT 1::float8 % 0;
