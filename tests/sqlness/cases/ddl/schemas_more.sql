CREATE SCHEMA scm;

CREATE TABLE scm.t (a int);

INSERT INTO scm.t VALUES (1);

SELECT * FROM scm.t;

SELECT * FROM t;

SET search_path = scm, public;

SELECT * FROM t;

CREATE TABLE u (b int);

SELECT schemaname, tablename FROM pg_tables WHERE tablename IN ('t', 'u') AND schemaname = 'scm' ORDER BY 2;

SHOW search_path;

SELECT current_schema();

SET search_path = nix;

SELECT current_schema();

SELECT * FROM t;

RESET search_path;

CREATE SCHEMA scm;

CREATE SCHEMA IF NOT EXISTS scm;

DROP SCHEMA scm;

DROP SCHEMA nix;

DROP SCHEMA IF EXISTS nix;

ALTER TABLE scm.u SET SCHEMA public;

SELECT count(*) FROM u;

DROP SCHEMA scm CASCADE;

SELECT * FROM scm.t;

CREATE SCHEMA pg_nix;

DROP TABLE u;

DROP TABLE scm.t;
