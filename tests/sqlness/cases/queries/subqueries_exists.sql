CREATE TABLE se_a (x int, g text);

CREATE TABLE se_b (y int, h text);

INSERT INTO se_a VALUES (1, 'p'), (2, 'q'), (3, 'p'), (NULL, 'r');

INSERT INTO se_b VALUES (1, 'p'), (5, 'q');

SELECT x FROM se_a a WHERE EXISTS (SELECT 1 FROM se_b b WHERE b.h = a.g) ORDER BY 1;

SELECT x FROM se_a a WHERE NOT EXISTS (SELECT 1 FROM se_b b WHERE b.y = a.x) ORDER BY 1;

SELECT x, EXISTS (SELECT 1 FROM se_b b WHERE b.y > a.x) AS e FROM se_a a ORDER BY 1;

SELECT x FROM se_a a WHERE EXISTS (SELECT * FROM se_b b WHERE b.h = a.g AND b.y >= a.x) AND x < 3 ORDER BY 1;

SELECT g, count(*) FROM se_a a GROUP BY g HAVING EXISTS (SELECT 1 FROM se_b b WHERE b.h = a.g) ORDER BY 1;

SELECT EXISTS (SELECT 1 WHERE false), NOT EXISTS (SELECT 1), EXISTS (SELECT NULL);

SELECT x FROM se_a a WHERE EXISTS (SELECT 1 FROM se_b b WHERE EXISTS (SELECT 1 FROM se_a c WHERE c.g = b.h AND c.x = a.x)) ORDER BY 1;

DROP TABLE se_a, se_b;
