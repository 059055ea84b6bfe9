SHOW CHARSET;

SHOW CHARACTER SET LIKE 'latin%';

SHOW COLLATION;

-- System tables and views are described like tables.
DESC information_schema.character_sets;

DESC TABLE numbers;

CREATE TABLE t (a INT, ts TIMESTAMP TIME INDEX) WITH (ttl = '7d', 'compaction.twcs.trigger_file_num' = '8');

CREATE VIEW v AS SELECT a + 1 AS b FROM t;

SHOW COLUMNS FROM v;

SHOW COLUMNS FROM pg_catalog.pg_am LIKE 'am%';

DESC nowhere;

-- An option that is set to nothing is not set.
SHOW CREATE TABLE t;

ALTER TABLE t SET 'ttl' = NULL;

ALTER TABLE t SET 'compaction.twcs.trigger_file_num' = '';

SHOW CREATE TABLE t;

DROP VIEW v;

DROP TABLE t;
