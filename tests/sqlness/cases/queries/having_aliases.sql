-- HAVING may name a select item by its alias; a column of that name comes first, as in GROUP BY.
SELECT x % 2 AS odd, sum(x) AS total FROM generate_series(1, 5) AS g (x) GROUP BY odd HAVING total > 6;

SELECT x % 2 AS odd, sum(x) AS total FROM generate_series(1, 5) AS g (x) GROUP BY 1 HAVING NOT total > 6 AND odd = 0;

SELECT x AS k, count(*) AS x FROM (VALUES (5), (5), (1)) AS v (x) GROUP BY v.x HAVING x = 5;

SELECT sum(x) AS total FROM generate_series(1, 5) AS g (x) HAVING total > (SELECT 14);

SELECT sum(x) AS a, max(x) AS a FROM generate_series(1, 5) AS g (x) HAVING a > 1;

SELECT sum(x) AS total FROM generate_series(1, 5) AS g (x) HAVING nothing > 1;
