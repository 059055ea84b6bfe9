SELECT i FROM generate_series(1, 10) AS g(i) ORDER BY i DESC LIMIT 3;

SELECT i FROM generate_series(1, 10) AS g(i) ORDER BY i LIMIT 2 OFFSET 4;

SELECT * FROM (VALUES (1), (NULL), (3)) AS t(x) ORDER BY x;

SELECT * FROM (VALUES (1), (NULL), (3)) AS t(x) ORDER BY x DESC;

SELECT * FROM (VALUES (1), (NULL), (3)) AS t(x) ORDER BY x DESC NULLS LAST;

SELECT DISTINCT x % 2 AS p FROM (VALUES (1), (2), (3)) AS t(x) ORDER BY p;

-- Rows that are equal to the last one by the order come too.
SELECT n, x FROM (VALUES (1, 'a'), (2, 'b'), (2, 'c'), (3, 'd'), (NULL, 'e'), (NULL, 'f')) v(n, x) ORDER BY n FETCH FIRST 2 ROWS WITH TIES;

SELECT n, x FROM (VALUES (1, 'a'), (2, 'b'), (2, 'c'), (3, 'd'), (NULL, 'e'), (NULL, 'f')) v(n, x) ORDER BY n OFFSET 3 FETCH NEXT 2 ROWS WITH TIES;

SELECT n, count(*) AS rows FROM (VALUES (1), (2), (2), (3), (3)) v(n) GROUP BY n ORDER BY count(*) DESC FETCH FIRST ROW WITH TIES;

SELECT count(*) FROM (SELECT g % 10 AS n FROM generate_series(1, 50000) g ORDER BY n FETCH FIRST 5001 ROWS WITH TIES) s;

SELECT n FROM (VALUES (1), (2)) v(n) FETCH FIRST ROW WITH TIES;
