-- a view means what it meant when it was made, under every search path and after renames
CREATE SCHEMA o;

CREATE TABLE o.t (a INT);

INSERT INTO o.t VALUES (1);

CREATE TABLE u (b INT);

INSERT INTO u VALUES (2);

SET search_path = o, public;

CREATE VIEW v AS SELECT t.a, u.b FROM t, u;

CREATE VIEW w AS SELECT a + 1 AS b FROM v;

RESET search_path;

SELECT * FROM o.v;

SELECT * FROM o.w;

ALTER SCHEMA o RENAME TO p;

SELECT * FROM p.w;

ALTER TABLE p.t SET SCHEMA public;

SELECT * FROM p.v;

ALTER VIEW p.v RENAME TO v2;

ALTER VIEW p.v2 RENAME COLUMN a TO z;

ALTER VIEW p.v2 SET SCHEMA public;

SELECT * FROM p.w;

SELECT z FROM v2;

DROP SCHEMA p CASCADE;

DROP VIEW v2;

DROP TABLE t, u;
