SELECT 7 / 2, -7 / 2, 7 % 3, -7 % 3, 2 ^ 10;

SELECT 2147483647 + 1;

SELECT 2147483647::bigint + 1;

SELECT 9223372036854775807 + 1;

SELECT 1 / 0;

SELECT '12'::int + 1, '  12 '::int;

SELECT 'x'::int;

SELECT 40000::smallint;
