CREATE TABLE ji_a (id int, v text);

CREATE TABLE ji_b (id int, w text);

INSERT INTO ji_a VALUES (1, 'a1'), (2, 'a2'), (2, 'a2b'), (NULL, 'an'), (4, 'a4');

INSERT INTO ji_b VALUES (1, 'b1'), (2, 'b2'), (3, 'b3'), (NULL, 'bn'), (4, NULL);

SELECT a.id, v, w FROM ji_a a JOIN ji_b b ON a.id = b.id ORDER BY 1, 2;

SELECT * FROM ji_a JOIN ji_b USING (id) ORDER BY id, v;

SELECT * FROM ji_a NATURAL JOIN ji_b ORDER BY id, v;

SELECT count(*) FROM ji_a CROSS JOIN ji_b;

SELECT count(*) FROM ji_a, ji_b WHERE ji_a.id < ji_b.id;

SELECT a.v, b.w FROM ji_a a JOIN ji_b b ON a.id = b.id AND b.w > 'b1' ORDER BY 1;

SELECT a.v, b.w FROM ji_a a JOIN ji_b b ON a.id IS NOT DISTINCT FROM b.id ORDER BY 1, 2;

SELECT j.id FROM (ji_a JOIN ji_b USING (id)) AS j ORDER BY 1;

SELECT id FROM ji_a a JOIN ji_b b ON a.id = b.id;

DROP TABLE ji_a, ji_b;
