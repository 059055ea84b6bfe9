CREATE TABLE cpu (host TEXT, dc TEXT, ts TIMESTAMP TIME INDEX, v DOUBLE, PRIMARY KEY (host, dc))
PARTITION ON COLUMNS (host) (host < 'h', host >= 'h' AND host < 'p', host >= 'p');

SHOW CREATE TABLE cpu;

-- NULL is below all values
INSERT INTO cpu VALUES ('a', 'x', '2024-01-01', 1), ('h', 'x', '2024-01-01', 2), ('p', 'x', '2024-01-01', 3), ('q', 'x', '2024-01-01', 4), (NULL, 'x', '2024-01-01', 5);

SELECT table_schema, partition_name, partition_ordinal_position, partition_expression, table_rows FROM information_schema.partitions WHERE table_name = 'cpu' ORDER BY 2;

SELECT region_number, region_rows, region_role FROM information_schema.region_statistics WHERE table_name = 'cpu' ORDER BY 1;

SELECT count(*), count(DISTINCT region_id) FROM information_schema.region_peers WHERE table_name = 'cpu';

-- every row must belong to exactly one partition
CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a < 10, a > 10);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a <= 10, a > 12);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a <= 10, a >= 10);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a, b) (a < 10 AND b < 'm', a < 10 AND b > 'm', a >= 10);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (b) (b < 'm', b >= 'k');

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a < 10, a >= 10, a < 3 AND a > 5);

CREATE TABLE bad (a INT) PARTITION ON COLUMNS (a) (a < 0, a >= 0 AND a < 10, a IN (10, 11, 12));

CREATE TABLE bad (a BOOLEAN) PARTITION ON COLUMNS (a) (a = false, a = true);

-- what a condition may be
CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (c) (c < 10, c >= 10);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a, a) (a < 10, a >= 10);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (b < 'm', b >= 'm');

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a + 1 < 10, a >= 9);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a < b, a >= 9);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a < 1.5, a >= 1.5);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a < 'x', a >= 'x');

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (a < NULL, a >= 9);

CREATE TABLE bad (a INT, b TEXT) PARTITION ON COLUMNS (a) (nope < 1, a >= 9);

CREATE TABLE bad (a JSON) PARTITION ON COLUMNS (a) ();

CREATE TABLE bad (a INT, b INT GENERATED ALWAYS AS (a * 2) STORED) PARTITION ON COLUMNS (b) (b < 1, b >= 1);

-- rows of one key meet in one region
CREATE TABLE bad (id INT PRIMARY KEY, a INT) PARTITION ON COLUMNS (a) (a < 10, a >= 10);

CREATE TABLE bad (ts TIMESTAMP TIME INDEX, a INT, b INT, PRIMARY KEY (a)) PARTITION ON COLUMNS (b) (b < 10, b >= 10);

-- other types; values between neighbours are none
CREATE TABLE ints (a INT NOT NULL, f BOOLEAN NOT NULL, d DATE) PARTITION ON COLUMNS (a, f, d) (a <= 3 AND f = true, a <= 3 AND f = false, a >= 4 AND d < '2024-01-01', a >= 4 AND d >= '2024-01-01');

SHOW CREATE TABLE ints;

ALTER TABLE ints ALTER COLUMN f DROP NOT NULL;

-- no conditions: one region
CREATE TABLE one (a INT) PARTITION ON COLUMNS (a) ();

SELECT partition_name, partition_expression FROM information_schema.partitions WHERE table_name = 'one';

-- a comma may end the list
CREATE TABLE ends (a INT) PARTITION ON COLUMNS (a) (a != 1, a = 1,);

SHOW CREATE TABLE ends;

-- like another table, and of a query
CREATE TABLE cpu2 LIKE cpu;

CREATE TABLE made PARTITION ON COLUMNS (n) (n <= 50, n > 50) AS SELECT n, n * 2 AS m FROM generate_series(1, 60) AS g(n);

SELECT table_name, partition_name, partition_expression, table_rows FROM information_schema.partitions WHERE table_name IN ('cpu2', 'made') ORDER BY 1, 2;

-- ALTER reaches all regions
ALTER TABLE cpu ADD COLUMN w INT DEFAULT 7;

ALTER TABLE cpu RENAME COLUMN host TO machine;

ALTER TABLE cpu ALTER COLUMN v TYPE TEXT;

SELECT * FROM cpu ORDER BY machine NULLS FIRST;

SELECT partition_name, partition_expression, table_rows FROM information_schema.partitions WHERE table_name = 'cpu' ORDER BY 1;

ALTER TABLE cpu DROP COLUMN machine;

ALTER TABLE cpu ALTER COLUMN machine TYPE VARCHAR;

ALTER TABLE made DROP COLUMN n;

ALTER TABLE made ADD PRIMARY KEY (m);

ALTER TABLE made ADD PRIMARY KEY (m, n);

-- other partitions
ALTER TABLE made REPARTITION (n <= 50) INTO (n <= 20, n > 20 AND n <= 50);

ALTER TABLE made SPLIT PARTITION (n > 50) INTO (n > 50 AND n < 60, n >= 60);

ALTER TABLE made MERGE PARTITION (n <= 20, n > 50 AND n < 60);

SELECT partition_name, partition_expression, table_rows FROM information_schema.partitions WHERE table_name = 'made' ORDER BY 1;

ALTER TABLE made SPLIT PARTITION (n < 7) INTO (n < 3, n >= 3);

ALTER TABLE made SPLIT PARTITION (n >= 60) INTO (n >= 60 AND n < 70, n > 70);

ALTER TABLE one REPARTITION (a < 1) INTO (a < 0, a = 0);

SELECT count(*), sum(n), sum(m) FROM made;

-- TRUNCATE, flush and compaction reach all regions
ADMIN flush_table('made');

SELECT count(DISTINCT region_id) FROM information_schema.ssts_manifest WHERE table_name = 'made';

INSERT INTO made SELECT n, 2 * n + 1 FROM generate_series(1, 60) AS g(n);

SELECT count(*) FROM made;

ADMIN truncate_unflushed('made');

SELECT count(*) FROM made;

TRUNCATE made;

SELECT count(*) FROM made;

DROP TABLE cpu, cpu2, ints, one, ends, made;

SELECT count(*) FROM information_schema.partitions WHERE table_name IN ('cpu', 'made');
