CREATE TABLE rw (ts TIMESTAMP(3) TIME INDEX, host TEXT, v INT, PRIMARY KEY (host));

INSERT INTO rw VALUES
  (0, 'a', 1), (4000, 'a', 2), (11000, 'a', 10),
  (2000, 'b', NULL), (31000, 'b', 8);

-- Every window has the rows of [ts, ts + 5 s); the primary key makes the groups.
SELECT ts, host, sum(v) RANGE '5s', count(*) RANGE '5s' FROM rw ALIGN '5s' ORDER BY host, ts;

-- Windows of twice the distance overlap: each row is in two of them.
SELECT ts, sum(v) RANGE '10s' AS s FROM rw WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- Shorter windows leave rows out: 4 s and 11 s are in none of [0, 1), [10, 11).
SELECT ts, sum(v) RANGE '1s' FROM rw WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- Windows of no whole number of distances: of 7 s, each is 5 s and 2 s of the next.
SELECT ts, count(*) RANGE '7s' FROM rw WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- Items of several lengths: the longest makes the rows, the others have their own windows.
SELECT ts, count(*) RANGE '10s' AS ten, count(*) RANGE '3s' AS three, max(v) RANGE '3s' AS m
  FROM rw WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- Items in expressions.
SELECT ts, max(v) RANGE '5s' * 10 + min(v) RANGE '10s' AS x FROM rw WHERE host = 'a' ALIGN '10s' ORDER BY ts;

-- DISTINCT, ORDER BY and FILTER inside the aggregates.
SELECT ts, count(DISTINCT host) RANGE '15s' AS hosts,
       string_agg(v::text, '+' ORDER BY v DESC) RANGE '15s' AS vs,
       count(*) FILTER (WHERE v > 1) RANGE '5s' AS big
  FROM rw ALIGN '15s' BY () ORDER BY ts;

-- Bounds of time in WHERE cut windows off.
SELECT ts, sum(v) RANGE '10s' FROM rw WHERE host = 'a' AND ts >= '1970-01-01 00:00:04' ALIGN '10s' ORDER BY ts;

-- HAVING stands before ALIGN or behind it.
SELECT ts, host, max(v) RANGE '5s' FROM rw ALIGN '5s' HAVING max(v) RANGE '5s' > 2 ORDER BY host;

SELECT ts, host, max(v) RANGE '5s' FROM rw HAVING count(*) RANGE '5s' > 1 ALIGN '5s';

-- Window functions, DISTINCT and LIMIT work on the rows of the range query.
SELECT ts, max(v) RANGE '5s' AS m, lag(max(v) RANGE '5s') OVER (ORDER BY ts) AS before
  FROM rw WHERE host = 'a' ALIGN '5s' ORDER BY ts DESC LIMIT 2;

SELECT DISTINCT host, count(*) RANGE '1s' FROM rw ALIGN '1s' ORDER BY host;

-- A row with NULL makes a window, of which there is no sum.
SELECT ts, sum(v) RANGE '5s', count(v) RANGE '5s', count(*) RANGE '5s' FROM rw WHERE host = 'b' ALIGN '5s' ORDER BY ts;

DROP TABLE rw;
