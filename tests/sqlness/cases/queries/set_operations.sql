SELECT 1 AS n UNION SELECT 1 UNION SELECT 2 ORDER BY n;

SELECT 1 AS n UNION ALL SELECT 1 ORDER BY n;

SELECT n FROM generate_series(1, 4) AS g(n) INTERSECT SELECT n FROM generate_series(3, 6) AS g(n) ORDER BY n;

SELECT n FROM generate_series(1, 4) AS g(n) EXCEPT SELECT n FROM generate_series(3, 6) AS g(n) ORDER BY n;

SELECT 1 UNION SELECT 'x';
