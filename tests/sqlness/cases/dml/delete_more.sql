CREATE TABLE dm (id int PRIMARY KEY, g text);

CREATE TABLE dm2 (g text);

INSERT INTO dm VALUES (1, 'a'), (2, 'b'), (3, 'a'), (4, NULL), (5, 'c');

INSERT INTO dm2 VALUES ('a'), ('c'), ('c');

DELETE FROM dm USING dm2 WHERE dm.g = dm2.g AND dm.id > 2 RETURNING dm.id, dm2.g;

DELETE FROM dm WHERE g IS NULL RETURNING *;

DELETE FROM dm d WHERE d.id IN (SELECT max(id) FROM dm) RETURNING d.id;

DELETE FROM dm WHERE NOT EXISTS (SELECT 1 FROM dm2 WHERE dm2.g = dm.g);

SELECT * FROM dm;

WITH gone AS (DELETE FROM dm RETURNING id) SELECT count(*) FROM gone;

DELETE FROM dm;

DELETE FROM dm WHERE nix = 1;

DELETE FROM nix;

SELECT count(*) FROM dm2;

DROP TABLE dm, dm2;
