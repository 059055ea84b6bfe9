-- Forms that PostgreSQL has not; its own come first: round(x, n) of a literal is numeric's, format('%s', n) is text's.
SELECT round(2.346::float8, 2) AS up, round(-2.345::float8, 2) AS away, round(1234.5::float8, -2) AS hundreds,
       trunc(2.349::float8, 2) AS cut, round('nan'::float8, 2) AS nan, round(2.345, 2) AS exact, pg_typeof(round(2.345, 2)) AS type;

SELECT format(1234567.891, 2) AS grouped, format(0.5, 0) AS half, format(-1234, 1) AS negative, format(12.3456::float8, 3) AS float,
       format('%s and %s', 1, 2) AS postgres, format(NULL, 2) AS unknown;

SELECT round(true, 2);

-- TRY_CAST gives NULL where the value does not fit, and an error where the types do not.
SELECT x, try_cast(x AS INT) AS n, try_cast(x AS DATE) AS d FROM (VALUES ('12'), ('x'), ('2024-01-31'), (NULL)) AS v (x);

SELECT try_cast('nan'::float8 AS INT) AS nan, try_cast(3000000000 AS INT) AS large, try_cast(1.5 AS INT) AS rounded, try_cast('7' AS BIGINT) AS text;

SELECT try_cast(true AS DATE);
