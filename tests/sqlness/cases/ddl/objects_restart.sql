CREATE TABLE t (id SERIAL PRIMARY KEY, i INT GENERATED ALWAYS AS IDENTITY, b INT GENERATED ALWAYS AS (id * 2) STORED, c TEXT);

CREATE UNIQUE INDEX t_c ON t (c);

CREATE INDEX t_lower ON t (lower(c));

COMMENT ON INDEX t_c IS 'unique';

CREATE SEQUENCE q START 10;

SELECT nextval('q');

INSERT INTO t (c) VALUES ('a'), ('b');

ALTER TABLE t ALTER COLUMN c TYPE VARCHAR(10), ADD CONSTRAINT short CHECK (length(c) < 5) NOT VALID;

CREATE TEMP TABLE gone (a INT);

CREATE UNLOGGED TABLE u (a INT);

-- SQLNESS ARG restart=true
INSERT INTO t (c) VALUES ('c') RETURNING id, i, b;

INSERT INTO t (c) VALUES ('a');

INSERT INTO t (c) VALUES ('longer');

SELECT * FROM t ORDER BY id;

SELECT nextval('q');

SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 't' ORDER BY 1;

SELECT obj_description('t_c'::regclass);

SELECT conname, convalidated FROM pg_constraint WHERE conrelid = 't'::regclass ORDER BY conname;

SELECT relname, relpersistence FROM pg_class WHERE relname IN ('gone', 'u');

DROP TABLE t, u;

DROP SEQUENCE q;
