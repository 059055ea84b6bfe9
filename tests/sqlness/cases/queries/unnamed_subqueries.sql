-- A subquery in FROM needs no alias; its columns go by their own names.
SELECT a + 1 AS b FROM (SELECT 1 AS a);

SELECT x, y FROM (VALUES (1), (2)) AS v (x), (SELECT 10 AS y UNION ALL SELECT 20) ORDER BY x, y;

SELECT n FROM (SELECT n FROM (SELECT 5 AS n)) WHERE n > 4;

SELECT v.x, z FROM (VALUES (1), (2)) AS v (x), LATERAL (SELECT v.x * 10 AS z) ORDER BY v.x;

-- Which of the two is not said.
SELECT a FROM (SELECT 1 AS a), (SELECT 2 AS a);
