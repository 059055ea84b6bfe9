SELECT * FROM (VALUES (1, 'a'), (2, 'b')) AS t(n, s) WHERE n > 1;

SELECT t.n + 1 AS m FROM (SELECT 1 AS n UNION ALL SELECT 5) t ORDER BY 1;

SELECT * FROM (SELECT x, x * 2 AS y FROM generate_series(1, 3) x) s WHERE y > 2 ORDER BY x;

SELECT a.c1 FROM (SELECT 1 AS c1, 2 AS c2) AS a (c1);

SELECT * FROM (SELECT 1 AS a, 2 AS a) t;

SELECT a FROM (SELECT 1 AS a, 2 AS a) t;

SELECT * FROM (VALUES (1), (2, 3)) t;

SELECT * FROM (SELECT 1) AS t(a, b);

SELECT sum(n) FROM (SELECT n FROM (VALUES (1), (2), (3)) v(n) ORDER BY n DESC LIMIT 2) s;

SELECT * FROM (SELECT DISTINCT x % 2 AS p FROM generate_series(1, 5) x) d ORDER BY p;

TABLE pg_am LIMIT 0;

VALUES (1, 'x'), (2, NULL) ORDER BY 1 DESC;

VALUES (1), ('x');
