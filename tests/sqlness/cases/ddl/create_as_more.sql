CREATE TABLE cam AS SELECT g AS id, 'n' || g AS name, g / 2.0 AS half FROM generate_series(1, 3) g;

SELECT * FROM cam ORDER BY id;

SELECT attname, format_type(atttypid, atttypmod) FROM pg_attribute WHERE attrelid = 'cam'::regclass AND attnum > 0 ORDER BY attnum;

CREATE TABLE cam2 (x, y) AS SELECT id, name FROM cam WHERE id > 1;

SELECT x, y FROM cam2 ORDER BY x;

CREATE TABLE cam3 AS SELECT * FROM cam WITH NO DATA;

SELECT count(*) FROM cam3;

CREATE TABLE cam AS SELECT 1;

CREATE TABLE IF NOT EXISTS cam AS SELECT 1 AS z;

CREATE TABLE cam4 AS SELECT 1, 2;

CREATE TABLE cam4 AS VALUES (1, 'a'), (2, 'b');

SELECT * FROM cam4 ORDER BY 1;

CREATE TABLE cam5 (a, b, c) AS SELECT 1, 2;

CREATE TABLE cam5 AS SELECT NULL AS n, 1 AS a, 1 AS a;

CREATE TABLE cam6 AS TABLE cam2;

SELECT count(*) FROM cam6;

CREATE TABLE cam7 AS SELECT nix FROM cam;

DROP TABLE IF EXISTS cam, cam2, cam3, cam4, cam5, cam6, cam7;
