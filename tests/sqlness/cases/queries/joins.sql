CREATE TABLE a (id INT PRIMARY KEY, x TEXT);

CREATE TABLE b (id INT PRIMARY KEY, a_id INT, y TEXT);

INSERT INTO a VALUES (1, 'one'), (2, 'two'), (3, 'three');

INSERT INTO b VALUES (10, 1, 'p'), (11, 1, 'q'), (12, 2, 'r'), (13, NULL, 's');

SELECT a.x, b.y FROM a JOIN b ON a.id = b.a_id ORDER BY 1, 2;

SELECT a.x, b.y FROM a LEFT JOIN b ON a.id = b.a_id ORDER BY 1, 2;

SELECT a.x, b.y FROM a FULL JOIN b ON a.id = b.a_id ORDER BY 1, 2;

SELECT x FROM a WHERE id IN (SELECT a_id FROM b) ORDER BY x;

SELECT x FROM a WHERE id NOT IN (SELECT a_id FROM b WHERE a_id IS NOT NULL) ORDER BY x;

SELECT x, (SELECT count(*) FROM b WHERE b.a_id = a.id) AS n FROM a ORDER BY x;

DROP TABLE a;

DROP TABLE b;
