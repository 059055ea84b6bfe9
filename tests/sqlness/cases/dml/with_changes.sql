CREATE TABLE a (id INT PRIMARY KEY, x INT);

CREATE TABLE log (id INT, what TEXT);

INSERT INTO a VALUES (1, 10), (2, 20), (3, 30), (4, 40);

-- Rows move from one table to another.
WITH gone AS (DELETE FROM a WHERE x > 25 RETURNING id, x) INSERT INTO log SELECT id, 'deleted ' || x FROM gone;

SELECT * FROM a ORDER BY id;

SELECT * FROM log ORDER BY id;

-- Every part sees what was there before the statement; rows pass by RETURNING only.
WITH changed AS (UPDATE a SET x = x + 1 RETURNING id, x) SELECT c.id, c.x AS now, a.x AS before FROM changed c JOIN a USING (id) ORDER BY id;

WITH added AS (INSERT INTO a VALUES (5, 50) RETURNING id) SELECT count(*) AS before, (SELECT id FROM added) AS added FROM a;

SELECT * FROM a ORDER BY id;

-- A change is made once, whether it is read never or twice.
WITH n AS (INSERT INTO log VALUES (100, 'never')) SELECT 1 AS one;

WITH n AS (INSERT INTO log VALUES (101, 'twice') RETURNING id) SELECT x.id, y.id AS again FROM n x, n y;

SELECT what, count(*) FROM log WHERE id >= 100 GROUP BY what ORDER BY what;

-- Several, and queries between them.
WITH low AS (SELECT min(id) AS id FROM a), d AS (DELETE FROM a WHERE id = (SELECT id FROM low) RETURNING a.id), u AS (UPDATE a SET x = 0 WHERE id = 5 RETURNING a.id) SELECT 'd' AS what, id FROM d UNION ALL SELECT 'u', id FROM u UNION ALL SELECT 'low', id FROM low ORDER BY 1;

SELECT * FROM a ORDER BY id;

WITH r (k, v) AS (INSERT INTO a VALUES (9, 90) ON CONFLICT (id) DO UPDATE SET x = excluded.x RETURNING *) SELECT v, k FROM r;

WITH x AS (INSERT INTO a VALUES (10, 1) RETURNING id) UPDATE a SET x = -1 FROM x WHERE a.id = 9 RETURNING a.id, a.x, x.id AS added;

WITH x AS (INSERT INTO a VALUES (11, 1) RETURNING id) DELETE FROM a WHERE id < (SELECT id FROM x);

SELECT * FROM a ORDER BY id;

-- One part fails: nothing is done.
WITH x AS (INSERT INTO a VALUES (12, 1) RETURNING id) SELECT 1 / (id - 12) FROM x;

SELECT * FROM a ORDER BY id;

WITH x AS (DELETE FROM a) SELECT * FROM x;

SELECT * FROM a WHERE id IN (WITH x AS (DELETE FROM a RETURNING id) SELECT id FROM x);

CREATE VIEW v AS WITH x AS (DELETE FROM a RETURNING id) SELECT id FROM x;

PREPARE p (INT) AS WITH x AS (INSERT INTO a VALUES ($1, $1 + 1) RETURNING *) SELECT id + x AS sum FROM x;

EXECUTE p(20);

EXECUTE p(30);

SELECT * FROM a ORDER BY id;

BEGIN;

WITH x AS (DELETE FROM a RETURNING id) SELECT count(*) FROM x;

SELECT count(*) FROM a;

ROLLBACK;

SELECT count(*) FROM a;

DROP TABLE a;

DROP TABLE log;
