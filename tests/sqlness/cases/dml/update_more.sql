CREATE TABLE um (id int PRIMARY KEY, a int, b text);

INSERT INTO um VALUES (1, 10, 'x'), (2, 20, 'y'), (3, NULL, 'z');

UPDATE um SET a = a + 1 WHERE id < 3 RETURNING id, a;

UPDATE um SET (a, b) = (5, 'five') WHERE id = 3 RETURNING *;

UPDATE um SET (a, b) = (SELECT max(a), 'top' FROM um) WHERE id = 1 RETURNING *;

UPDATE um SET a = DEFAULT, b = DEFAULT WHERE id = 2 RETURNING *;

UPDATE um u SET a = v.n FROM (VALUES (1, 100), (3, 300)) v(k, n) WHERE u.id = v.k RETURNING u.id, u.a, v.n;

UPDATE um SET id = id + 10;

UPDATE um SET id = 11 WHERE id = 12;

UPDATE um SET a = (SELECT count(*) FROM um x WHERE x.id <= um.id);

UPDATE um SET nix = 1;

UPDATE um SET a = 'x';

UPDATE um SET a = 1, a = 2;

UPDATE um SET (a, b) = (1, 2, 3);

UPDATE um SET a = sum(a);

UPDATE um SET a = 1 WHERE count(*) > 1;

UPDATE ONLY um SET b = upper(b) WHERE b IS NOT NULL;

UPDATE um SET b = b WHERE false;

SELECT * FROM um ORDER BY id;

DROP TABLE um;
