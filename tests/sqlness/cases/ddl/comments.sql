CREATE TABLE t (a INT PRIMARY KEY, b SERIAL);

CREATE VIEW v AS SELECT a FROM t;

CREATE INDEX t_b ON t (b);

CREATE SCHEMA s;

COMMENT ON TABLE t IS 'a table';

COMMENT ON COLUMN t.a IS 'a column';

COMMENT ON VIEW v IS 'a view';

COMMENT ON COLUMN v.a IS 'a column of a view';

COMMENT ON INDEX t_b IS 'an index';

COMMENT ON INDEX t_pkey IS 'a key''s index';

COMMENT ON CONSTRAINT t_pkey ON t IS 'a key';

COMMENT ON SEQUENCE t_b_seq IS 'a sequence';

COMMENT ON SCHEMA s IS 'a schema';

SELECT relname, obj_description(oid, 'pg_class') FROM pg_class WHERE relname IN ('t', 'v', 't_b', 't_pkey', 't_b_seq') ORDER BY relname;

SELECT conname, obj_description(oid, 'pg_constraint') FROM pg_constraint WHERE conrelid = 't'::regclass;

SELECT nspname, obj_description(oid, 'pg_namespace') FROM pg_namespace WHERE nspname = 's';

SELECT col_description('t'::regclass, 1), col_description('v'::regclass, 1);

COMMENT ON TABLE t IS NULL;

COMMENT ON INDEX t_b IS NULL;

SELECT obj_description('t'::regclass), obj_description('t_b'::regclass);

SELECT c.relname, d.objsubid, d.description FROM pg_description d JOIN pg_class c ON c.oid = d.objoid WHERE c.relname IN ('t', 'v', 't_b', 't_pkey', 't_b_seq') ORDER BY 1, 2;

COMMENT ON TABLE nope IS 'x';

COMMENT ON COLUMN t.nope IS 'x';

COMMENT ON CONSTRAINT nope ON t IS 'x';

DROP VIEW v;

DROP TABLE t;

DROP SCHEMA s;
