SELECT (SELECT 1), EXISTS (SELECT 1 WHERE false), 3 IN (SELECT * FROM generate_series(1, 3));

SELECT (SELECT i FROM generate_series(1, 2) AS g(i));

SELECT i FROM generate_series(1, 4) AS g(i) WHERE i > (SELECT avg(x) FROM generate_series(1, 4) AS h(x)) ORDER BY i;

SELECT i, (SELECT count(*) FROM generate_series(1, i)) AS n FROM generate_series(1, 3) AS g(i) ORDER BY i;

SELECT 1 WHERE 2 NOT IN (SELECT NULL::int);

SELECT ARRAY(SELECT i FROM generate_series(1, 3) AS g(i) ORDER BY i DESC);
