CREATE TABLE x (id INT PRIMARY KEY, a TEXT, b INT);

CREATE INDEX ON x (a);

CREATE INDEX ON x (a);

CREATE UNIQUE INDEX x_b ON x (b);

CREATE INDEX x_b ON x (a);

CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS x_b ON x (b);

CREATE INDEX x_more ON x (lower(a), b DESC NULLS LAST) INCLUDE (id) WHERE b > 3;

CREATE INDEX ON x USING hash (b);

CREATE INDEX ON x USING nope (b);

CREATE INDEX ON x (nope);

CREATE INDEX ON nope (a);

INSERT INTO x VALUES (1, 'a', 1), (2, 'a', NULL), (3, 'b', NULL);

INSERT INTO x VALUES (4, 'a', 1);

UPDATE x SET b = 1 WHERE id = 2;

INSERT INTO x VALUES (4, 'c', 1) ON CONFLICT (b) DO UPDATE SET a = 'merged';

SELECT * FROM x ORDER BY id;

CREATE UNIQUE INDEX x_a ON x (a);

SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'x' ORDER BY indexname;

SELECT i.relname, x.indisunique, x.indisprimary, x.indnatts, x.indnkeyatts, x.indkey, x.indoption FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid WHERE t.relname = 'x' ORDER BY i.relname;

ALTER INDEX x_more RENAME TO x_other;

ALTER INDEX x_pkey RENAME TO x_key;

SELECT conname FROM pg_constraint WHERE contype = 'p' AND conrelid = 'x'::regclass;

REINDEX TABLE x;

REINDEX INDEX x_other;

REINDEX INDEX nope;

DROP INDEX x_other;

DROP INDEX x_other;

DROP INDEX IF EXISTS x_other;

DROP INDEX x_key;

DROP INDEX x;

DROP INDEX x_b;

INSERT INTO x VALUES (4, 'a', 1);

ALTER TABLE x DROP COLUMN a;

SELECT indexname FROM pg_indexes WHERE tablename = 'x' ORDER BY indexname;

DROP TABLE x;
