-- enough rows to be read by several threads: three hosts, a row each second, every second w is NULL
CREATE TABLE g (ts TIMESTAMP TIME INDEX, host TEXT, rack INT, v INT, w INT, PRIMARY KEY (host, rack));

INSERT INTO g SELECT TIMESTAMP '2024-01-01' + i * INTERVAL '1 second', host, i % 2, 1, CASE WHEN i % 2 = 1 THEN 10 END FROM generate_series(0, 29999) AS s(i), (VALUES ('a'), ('b'), ('c')) AS hosts(host);

ADMIN FLUSH_TABLE('g');

SELECT date_trunc('hour', ts) AS h, host, count(*), sum(v), count(w), sum(w) FROM g WHERE ts >= '2024-01-01 00:30:00' AND ts < '2024-01-01 02:30:00' GROUP BY h, host ORDER BY h, host;

-- keys that come in short runs
SELECT n, count(*) FROM (SELECT date_bin(INTERVAL '3 seconds', ts) AS b, count(*) AS n FROM g GROUP BY b) AS x GROUP BY n ORDER BY n;

-- a key that may be NULL
SELECT w, host, count(*), sum(v) FROM g WHERE ts >= '2024-01-01 01:00:00' GROUP BY w, host ORDER BY w NULLS FIRST, host;

-- no keys, and a filter on a field
SELECT count(*), sum(v), min(ts), max(ts) FROM g WHERE w = 10 AND ts < '2024-01-01 05:00:00';

-- the same for computed times, which are grouped row by row
SELECT count(*) FROM ((SELECT time_bucket(INTERVAL '7 minutes', ts) AS b, rack, count(*) AS n, sum(w) AS s, max(ts) AS m FROM g WHERE ts > '2024-01-01 00:10:03' GROUP BY b, rack) EXCEPT ALL (SELECT time_bucket(INTERVAL '7 minutes', ts + INTERVAL '0'), rack, count(*), sum(w), max(ts) FROM g WHERE ts > '2024-01-01 00:10:03' GROUP BY 1, 2)) AS x;

-- rows in memory over those in files, and deleted ones
INSERT INTO g SELECT TIMESTAMP '2024-01-01' + i * INTERVAL '1 second', 'b', i % 2, 5, 20 FROM generate_series(3600, 4599) AS s(i);

DELETE FROM g WHERE host = 'c' AND ts < '2024-01-01 01:00:10';

SELECT date_trunc('hour', ts) AS h, host, count(*), sum(v), count(w), sum(w) FROM g WHERE ts >= '2024-01-01 00:30:00' AND ts < '2024-01-01 02:30:00' GROUP BY h, host ORDER BY h, host;

SELECT count(*) FROM ((SELECT date_trunc('minute', ts) AS b, host, count(*) AS n, sum(w) AS s, max(ts) AS m FROM g GROUP BY b, host) EXCEPT ALL (SELECT date_trunc('minute', ts + INTERVAL '0'), host, count(*), sum(w), max(ts) FROM g GROUP BY 1, 2)) AS x;

-- a step that cannot be
SELECT date_trunc('fortnight', ts) AS b, count(*) FROM g GROUP BY b;

DROP TABLE g;
