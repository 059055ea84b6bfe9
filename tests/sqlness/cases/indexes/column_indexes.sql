CREATE TABLE ix (
  ts TIMESTAMP(3) TIME INDEX,
  host TEXT PRIMARY KEY,
  a INT INVERTED INDEX,
  b TEXT SKIPPING INDEX WITH (granularity = 1024) COMMENT 'b',
  c TEXT FULLTEXT INDEX WITH (analyzer = 'Chinese', case_sensitive = 'true')
);

SHOW CREATE TABLE ix;

SHOW INDEX FROM ix;

SELECT indexname, indexdef FROM pg_indexes WHERE tablename = 'ix' ORDER BY indexname;

ALTER TABLE ix MODIFY COLUMN a SET SKIPPING INDEX WITH (false_positive_rate = 0.05, type = 'bloom');

ALTER TABLE ix MODIFY COLUMN b SET SKIPPING INDEX WITH (granularity = 2048);

ALTER TABLE ix MODIFY COLUMN c UNSET FULLTEXT INDEX;

SHOW CREATE TABLE ix;

-- the same again is none
ALTER TABLE ix MODIFY COLUMN a SET INVERTED INDEX;

ALTER TABLE ix MODIFY COLUMN c UNSET FULLTEXT INDEX;

-- faults
ALTER TABLE ix MODIFY COLUMN a SET FULLTEXT INDEX;

ALTER TABLE ix MODIFY COLUMN a SET SKIPPING INDEX WITH (granularity = 0);

ALTER TABLE ix MODIFY COLUMN a SET SKIPPING INDEX WITH (size = 5);

ALTER TABLE ix MODIFY COLUMN c SET FULLTEXT INDEX WITH (analyzer = 'Klingon');

ALTER TABLE ix MODIFY COLUMN a SET INVERTED INDEX WITH (granularity = 5);

CREATE TABLE ij (ts TIMESTAMP(3) TIME INDEX, j JSON INVERTED INDEX);

-- rows that were there before the index are found by it when it has been built
INSERT INTO ix VALUES ('2024-01-01', 'h1', 1, 'x', 'one'), ('2024-01-02', 'h2', 2, 'y', 'two');

ADMIN flush_table('ix');

SELECT index_type, target_key FROM information_schema.ssts_index_meta m
JOIN information_schema.ssts_manifest s USING (file_id)
WHERE table_name = 'ix' ORDER BY 1, 2;

ALTER TABLE ix MODIFY COLUMN c SET INVERTED INDEX;

ADMIN build_index('ix');

-- nothing is left to do
ADMIN build_index('ix');

SELECT index_type, target_key FROM information_schema.ssts_index_meta m
JOIN information_schema.ssts_manifest s USING (file_id)
WHERE table_name = 'ix' ORDER BY 1, 2;

SELECT host FROM ix WHERE c = 'two';

ALTER TABLE ix MODIFY COLUMN a UNSET INVERTED INDEX;

ALTER TABLE ix MODIFY COLUMN a UNSET SKIPPING INDEX;

ALTER TABLE ix MODIFY COLUMN b UNSET SKIPPING INDEX;

ADMIN build_index('ix');

SELECT index_type, target_key FROM information_schema.ssts_index_meta m
JOIN information_schema.ssts_manifest s USING (file_id)
WHERE table_name = 'ix' ORDER BY 1, 2;

-- CREATE INDEX on one column is an inverted index
CREATE INDEX ON ix (b);

ADMIN build_index('ix');

SELECT index_type, target_key FROM information_schema.ssts_index_meta m
JOIN information_schema.ssts_manifest s USING (file_id)
WHERE table_name = 'ix' ORDER BY 1, 2;

DROP INDEX ix_b_idx;

-- a column that came later, with its default in older rows
ALTER TABLE ix ADD COLUMN d INT DEFAULT 7 INVERTED INDEX;

INSERT INTO ix VALUES ('2024-01-03', 'h3', 3, 'z', 'three', 8);

ADMIN flush_table('ix');

ADMIN build_index('ix');

SELECT host FROM ix WHERE d = 7 ORDER BY host;

SELECT host FROM ix WHERE d = 8;

-- LIKE copies them
CREATE TABLE il (LIKE ix INCLUDING ALL);

SHOW CREATE TABLE il;

-- options
CREATE TABLE io (ts TIMESTAMP(3) TIME INDEX, h TEXT, i TEXT, PRIMARY KEY (h, i)) WITH ('index.key_bloom' = 'maybe');

CREATE TABLE io (ts TIMESTAMP(3) TIME INDEX, h TEXT, i TEXT, PRIMARY KEY (h, i)) WITH ('index.other' = 'true');

CREATE TABLE io (ts TIMESTAMP(3) TIME INDEX, h TEXT, i TEXT, PRIMARY KEY (h, i)) WITH ('index.key_bloom' = 'true');

INSERT INTO io VALUES ('2024-01-01', 'a', 'b');

ADMIN flush_table('io');

SELECT index_type, target_type, target_key, target_json FROM information_schema.ssts_index_meta m
JOIN information_schema.ssts_manifest s USING (file_id)
WHERE table_name = 'io' ORDER BY 1, 2;

DROP TABLE ix, il, io;

-- a column's type can be changed to one that can have its indexes
CREATE TABLE typed (ts TIMESTAMP TIME INDEX, m TEXT FULLTEXT INDEX, n INT INVERTED INDEX);

ALTER TABLE typed ALTER COLUMN m TYPE INT USING length(m);

ALTER TABLE typed ALTER COLUMN n TYPE JSONB USING to_jsonb(n);

ALTER TABLE typed ALTER COLUMN m TYPE VARCHAR(10), ALTER COLUMN n TYPE TEXT;

ALTER TABLE typed MODIFY COLUMN m UNSET FULLTEXT INDEX;

ALTER TABLE typed ALTER COLUMN m TYPE INT USING length(m);

DROP TABLE typed;
