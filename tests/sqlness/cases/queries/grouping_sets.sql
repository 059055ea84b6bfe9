SELECT a, b, sum(v) FROM (VALUES ('x', 1, 10), ('x', 2, 20), ('y', 1, 30)) AS t(a, b, v) GROUP BY ROLLUP (a, b) ORDER BY a, b;

SELECT a, count(*) FROM (VALUES ('x'), ('y'), ('x')) AS t(a) GROUP BY GROUPING SETS ((a), ()) ORDER BY a;
