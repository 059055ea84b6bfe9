CREATE TABLE rf (id serial PRIMARY KEY, x int);

INSERT INTO rf (x) VALUES (10), (20) RETURNING id, x * 2 AS d, id + x;

UPDATE rf SET x = x + 1 RETURNING rf.*, x AS again;

DELETE FROM rf WHERE id = 1 RETURNING 'gone ' || id AS msg;

INSERT INTO rf (x) VALUES (1) RETURNING nix;

INSERT INTO rf (x) SELECT 5 WHERE false RETURNING *;

INSERT INTO rf (x) VALUES (3) RETURNING count(*);

SELECT count(*) FROM rf;

DROP TABLE rf;
