CREATE TABLE ss_a (x int, y int);

INSERT INTO ss_a VALUES (1, 10), (1, 20), (2, 30);

SELECT (SELECT max(y) FROM ss_a) AS m, (SELECT y FROM ss_a WHERE x = 9) AS n;

SELECT (SELECT y FROM ss_a WHERE x = 1);

SELECT x, (SELECT sum(b.y) FROM ss_a b WHERE b.x = a.x) AS s FROM ss_a a ORDER BY x, a.y;

SELECT x, (SELECT count(*) FROM ss_a b WHERE b.y > a.y) AS n FROM ss_a a ORDER BY a.y;

SELECT (SELECT 1, 2);

SELECT x FROM ss_a WHERE y = (SELECT max(y) FROM ss_a);

SELECT (SELECT x FROM ss_a ORDER BY y DESC LIMIT 1) + 1 AS p;

SELECT ARRAY(SELECT y FROM ss_a ORDER BY y) AS a, ARRAY(SELECT y FROM ss_a WHERE false) AS b;

SELECT (SELECT (SELECT max(x) FROM ss_a)) AS deep;

SELECT (ss_a.x, 2) = (SELECT 1, 2) AS r FROM ss_a ORDER BY y;

DROP TABLE ss_a;
