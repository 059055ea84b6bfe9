-- 40,000 rows in one file and one row group: host h(g mod 10) leads the key, so a host's 4,000 rows
-- lie together; dc d(g mod 4); n takes every value from 0 to 39,999 once, in no order (7919 and
-- 40,000 have no common factor); msg is 'even' or 'odd', but 'mid' in every 8,000th row
CREATE TABLE px (
  ts TIMESTAMP(3) TIME INDEX,
  host TEXT,
  dc TEXT,
  n BIGINT SKIPPING INDEX WITH (granularity = 1000, false_positive_rate = 0.0001),
  msg TEXT INVERTED INDEX,
  PRIMARY KEY (host, dc)
);

INSERT INTO px SELECT g * INTERVAL '1 second' + TIMESTAMP '2024-01-01', 'h' || g % 10, 'd' || g % 4,
  g * 7919 % 40000, CASE WHEN g % 8000 = 0 THEN 'mid' WHEN g % 2 = 0 THEN 'even' ELSE 'odd' END
FROM generate_series(0, 39999) AS g;

ADMIN flush_table('px');

-- the same rows in a table without any index
CREATE TABLE py (ts TIMESTAMP(3) TIME INDEX, host TEXT, dc TEXT, n BIGINT, msg TEXT, PRIMARY KEY (host, dc))
WITH ('index.tags' = 'false');

INSERT INTO py SELECT * FROM px;

ADMIN flush_table('py');

SELECT count(*), min(n), max(n) FROM px WHERE msg = 'mid';

SELECT count(*), min(n), max(n) FROM py WHERE msg = 'mid';

-- five rows have it, and no other is read
-- SQLNESS REPLACE (?s).*(rows\sread=\d+\spruned\sby\sinverted[^\n]*rows=\d+).* $1
EXPLAIN ANALYZE SELECT n FROM px WHERE msg = 'mid';

-- SQLNESS REPLACE (?s).*(rows\sread=\d+).* $1
EXPLAIN ANALYZE SELECT n FROM py WHERE msg = 'mid';

SELECT host, dc, msg FROM px WHERE n = 7919;

SELECT host, dc, msg FROM py WHERE n = 7919;

-- one stretch of 1,000 rows may have the number
-- SQLNESS REPLACE (?s).*(rows\sread=\d+\spruned\sby\sskipping[^\n]*rows=\d+).* $1
EXPLAIN ANALYZE SELECT host FROM px WHERE n = 7919;

-- a tag behind the first has an inverted index unasked: 10,000 rows have d1, as h1, h3, h5, h7, h9
SELECT count(*), count(DISTINCT host) FROM px WHERE dc = 'd1';

-- SQLNESS REPLACE (?s).*(rows\sread=\d+).*(inverted[^\n]*rows=\d+).* $1,$2
EXPLAIN ANALYZE SELECT n FROM px WHERE dc = 'd1';

-- page bounds rule out the second page, which begins with h5; the index the rest but for h1's rows
-- SQLNESS REPLACE (?s).*(rows\sread=\d+).*(statistics[^\n]*rows=\d+).* $1,$2
EXPLAIN ANALYZE SELECT n FROM px WHERE dc = 'd1' AND host = 'h1' AND n = 1;

-- <>, IN, ranges and NULL by an inverted index
SELECT count(*) FROM px WHERE msg <> 'odd';

SELECT count(*) FROM px WHERE msg IN ('mid', 'odd', 'none');

SELECT count(*) FROM px WHERE msg > 'even' AND msg < 'odd';

SELECT count(*) FROM px WHERE msg IS NULL;

-- an overwritten row is not found by what it was
INSERT INTO px SELECT ts, host, dc, n, 'changed' FROM px WHERE msg = 'mid' AND n = 0;

ADMIN flush_table('px');

SELECT count(*) FROM px WHERE msg = 'mid';

SELECT count(*) FROM px WHERE msg = 'changed';

DELETE FROM px WHERE msg = 'mid';

ADMIN flush_table('px');

SELECT count(*) FROM px WHERE msg = 'mid';

SELECT count(*) FROM px;

-- the new file of a compaction has its indexes too
ADMIN compact_table('px');

-- SQLNESS REPLACE (?s).*(rows\sread=\d+).* $1
EXPLAIN ANALYZE SELECT n FROM px WHERE msg = 'changed';

SELECT index_type, target_type, target_key, count(*) FROM information_schema.ssts_index_meta m
JOIN information_schema.ssts_manifest s USING (file_id)
WHERE table_name = 'px' GROUP BY 1, 2, 3 ORDER BY 1, 3;

DROP TABLE px;

DROP TABLE py;
