SELECT 'abc'::float8;

SELECT '2024-13-01'::timestamp;

SELECT 1 / (1 - 1);

SELECT sqrt(-1);

SELECT 'x' || 1 + 2;

SELECT 1 = 'a';

SELECT max(count(*)) FROM generate_series(1, 2);

SELECT count(*) FROM generate_series(1, 2) WHERE count(*) > 1;

SELECT $1;
