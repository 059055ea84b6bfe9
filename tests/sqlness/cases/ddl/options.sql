CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH (nonsense = '1');

CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH (append_mode = 'maybe');

CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH (append_mode = 'true');

INSERT INTO o VALUES ('2024-01-01 00:00:00', 1), ('2024-01-01 00:00:00', 2);

SELECT v FROM o ORDER BY v;

DELETE FROM o;

DROP TABLE o;

-- how rows are merged can be changed: what is merged so far is folded first
CREATE TABLE am (h TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (h));

INSERT INTO am VALUES ('a', '2024-01-01', 1), ('b', '2024-01-01', 2);

ADMIN flush_table('am');

INSERT INTO am VALUES ('a', '2024-01-01', 3);

DELETE FROM am WHERE h = 'b';

ALTER TABLE am SET 'append_mode' = 'true';

INSERT INTO am VALUES ('a', '2024-01-01', 4);

SELECT * FROM am ORDER BY v;

DELETE FROM am;

ALTER TABLE am SET 'append_mode' = 'false';

ALTER TABLE am UNSET 'append_mode';

ALTER TABLE am SET 'merge_mode' = 'last_non_null';

DROP TABLE am;

CREATE TABLE mm (h TEXT, ts TIMESTAMP TIME INDEX, v INT, w INT, PRIMARY KEY (h));

INSERT INTO mm VALUES ('a', '2024-01-01', 1, 1);

INSERT INTO mm VALUES ('a', '2024-01-01', NULL, 2);

ALTER TABLE mm SET 'merge_mode' = 'last_non_null';

INSERT INTO mm VALUES ('a', '2024-01-01', 5, NULL);

SELECT * FROM mm;

ALTER TABLE mm SET 'merge_mode' = 'last_row';

INSERT INTO mm VALUES ('a', '2024-01-01', NULL, 6);

SELECT * FROM mm;

DROP TABLE mm;

CREATE TABLE keyed (a INT PRIMARY KEY);

ALTER TABLE keyed SET 'append_mode' = 'true';

DROP TABLE keyed;

-- values are checked, of options that change nothing here too ('memtable.type', sst_format, storage)
CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH ('memtable.type' = 'heap');

CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH (sst_format = 'csv');

CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH (storage = 'S3');

CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH (auto_flush_interval = 'often');

CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH (max_row_group_row_count = '0');

CREATE TABLE o (ts TIMESTAMP TIME INDEX, v INT) WITH ('memtable.type' = 'time_series', sst_format = 'flat', storage = 'File', auto_flush_interval = '1h', max_row_group_row_count = '1000');

DROP TABLE o;

CREATE TABLE g (ts TIMESTAMP TIME INDEX, v INT) WITH (max_row_group_row_count = '1000');

INSERT INTO g SELECT timestamp '2024-01-01' + n * interval '1 second', n FROM generate_series(1, 2500) AS s(n);

ADMIN flush_table('g');

SELECT num_rows, num_row_groups FROM information_schema.ssts_manifest WHERE table_name = 'g';

SELECT count(*), sum(v) FROM g WHERE v > 990 AND v < 2010;

ALTER TABLE g SET 'max_row_group_row_count' = '2000';

ADMIN compact_table('g');

SELECT num_rows, num_row_groups FROM information_schema.ssts_manifest WHERE table_name = 'g';

DROP TABLE g;
