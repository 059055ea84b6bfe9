CREATE TABLE gs (a text, b text, v int);

INSERT INTO gs VALUES ('x', 'p', 1), ('x', 'q', 2), ('y', 'p', 4), (NULL, 'p', 8);

SELECT a, b, sum(v), grouping(a, b) AS g FROM gs GROUP BY ROLLUP (a, b) ORDER BY g, a, b;

SELECT a, b, sum(v), grouping(a) AS ga, grouping(b) AS gb FROM gs GROUP BY CUBE (a, b) ORDER BY ga, gb, a, b;

SELECT a, b, sum(v) FROM gs GROUP BY GROUPING SETS ((a), (b), ()) ORDER BY 1, 2, 3;

SELECT a, sum(v) FROM gs GROUP BY a, ROLLUP (b) ORDER BY 1, 2;

SELECT a, sum(v) FROM gs GROUP BY ROLLUP (a) HAVING grouping(a) = 1;

SELECT a, sum(v) FROM gs WHERE false GROUP BY ROLLUP (a);

SELECT b, sum(v) FILTER (WHERE a = 'x') AS x, grouping(b) FROM gs GROUP BY ROLLUP (b) ORDER BY 3, 1;

SELECT a, grouping(v) FROM gs GROUP BY a;

DROP TABLE gs;
