CREATE TABLE m (host TEXT, dc INT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host, dc)) PARTITION ON COLUMNS (host, dc) (host < 'h' AND dc < 5, host < 'h' AND dc >= 5, host >= 'h');

INSERT INTO m SELECT chr(97 + i % 26), i % 10, TIMESTAMP '2024-01-01' + i * INTERVAL '1 minute', i FROM generate_series(0, 259) i;

SELECT partition_name, partition_expression, table_rows FROM information_schema.partitions WHERE table_name = 'm' ORDER BY 1;

-- only the regions that may hold a match are read
EXPLAIN SELECT * FROM m;

EXPLAIN SELECT v FROM m WHERE host = 'b';

EXPLAIN SELECT v FROM m WHERE host = 'b' AND dc = 7;

EXPLAIN SELECT v FROM m WHERE dc < 3;

EXPLAIN SELECT v FROM m WHERE host IN ('a', 'x') AND dc IN (1, 2);

EXPLAIN SELECT v FROM m WHERE host > 'k';

EXPLAIN SELECT v FROM m WHERE host IS NULL;

EXPLAIN SELECT v FROM m WHERE host > 'k' AND host < 'b';

PREPARE one (TEXT, INT) AS SELECT count(*), min(v), max(v) FROM m WHERE host = $1 AND dc >= $2;

EXECUTE one ('b', 0);

EXECUTE one ('b', 5);

EXECUTE one ('z', 0);

EXECUTE one (NULL, 0);

-- SQLNESS REPLACE \d+\.\d+ T
-- SQLNESS REPLACE memory=\d+ memory=N
-- SQLNESS REPLACE (regions=1\x20of\x203).* $1
-- SQLNESS REPLACE \x20+\| |
-- SQLNESS REPLACE --+ --
EXPLAIN ANALYZE SELECT v FROM m WHERE host = 'c' AND dc = 2;

-- order across regions
SELECT host, dc, v FROM m ORDER BY host, dc, ts LIMIT 5;

SELECT host, dc, v FROM m ORDER BY ts DESC LIMIT 4;

SELECT host, dc, v FROM m ORDER BY ts LIMIT 3 OFFSET 2;

SELECT host, v FROM m WHERE dc = 3 ORDER BY ts LIMIT 4;

-- the last row of a series
SELECT host, last_value(v ORDER BY ts) FROM m WHERE host IN ('a', 'g', 'z') GROUP BY host ORDER BY host;

SELECT DISTINCT ON (host, dc) host, dc, v FROM m WHERE host IN ('a', 'b') ORDER BY host, dc, ts DESC;

-- aggregates over all regions, and joins of them
SELECT count(*), sum(v), min(host), max(host), count(DISTINCT dc) FROM m;

SELECT dc, count(*), sum(v) FROM m GROUP BY dc HAVING dc > 6 ORDER BY dc;

SELECT count(*) FROM m a JOIN m b ON a.host = b.host AND a.dc = b.dc;

ADMIN flush_table('m');

INSERT INTO m SELECT host, dc, ts, v + 1000 FROM m WHERE dc = 9;

SELECT count(*), sum(v) FROM m;

SELECT host, dc, v FROM m ORDER BY host DESC, dc DESC, ts DESC LIMIT 3;

DROP TABLE m;
