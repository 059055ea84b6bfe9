CREATE TABLE jo_a (id int, v text);

CREATE TABLE jo_b (id int, w text);

INSERT INTO jo_a VALUES (1, 'a1'), (2, 'a2'), (3, 'a3');

INSERT INTO jo_b VALUES (2, 'b2'), (3, 'b3'), (4, 'b4');

SELECT a.id, b.id, v, w FROM jo_a a LEFT JOIN jo_b b ON a.id = b.id ORDER BY 1;

SELECT a.id, b.id FROM jo_a a RIGHT JOIN jo_b b ON a.id = b.id ORDER BY 2;

SELECT a.id, b.id FROM jo_a a FULL JOIN jo_b b ON a.id = b.id ORDER BY 1, 2;

SELECT * FROM jo_a FULL JOIN jo_b USING (id) ORDER BY id;

SELECT a.id FROM jo_a a LEFT JOIN jo_b b ON a.id = b.id WHERE b.id IS NULL;

SELECT a.id, b.w FROM jo_a a LEFT JOIN jo_b b ON a.id = b.id AND b.w = 'b3' ORDER BY 1;

SELECT a.id, b.w FROM jo_a a LEFT JOIN jo_b b ON a.id = b.id WHERE b.w = 'b3';

SELECT a.id, b.id, c.id FROM jo_a a LEFT JOIN jo_b b ON a.id = b.id LEFT JOIN jo_a c ON c.id = b.id + 1 ORDER BY 1;

SELECT a.id, b.id FROM jo_a a LEFT JOIN jo_b b ON false ORDER BY 1;

DROP TABLE jo_a, jo_b;
