CREATE TABLE cpu (ts TIMESTAMP(3) TIME INDEX, host TEXT, dc TEXT, usage DOUBLE, PRIMARY KEY (host, dc));

INSERT INTO cpu VALUES
  ('2026-01-01 00:00:10', 'a', 'x', 1), ('2026-01-01 00:00:30', 'a', 'x', 3), ('2026-01-01 00:00:20', 'a', 'y', 2),
  ('2026-01-01 00:00:10', 'b', 'x', 5), ('2026-01-01 00:00:40', 'b', 'y', NULL), ('2026-01-01 00:00:20', 'c', 'y', 7);

-- one row a series
SELECT DISTINCT ON (host, dc) host, dc, ts, usage FROM cpu ORDER BY host, dc, ts DESC;

-- one row a host, of whichever of its series has the newest
SELECT DISTINCT ON (host) host, dc, ts, usage FROM cpu ORDER BY host, ts DESC;

SELECT host, last_value(dc ORDER BY ts), last_value(usage ORDER BY ts), first_value(usage ORDER BY ts DESC), last(usage, ts), max(ts)
FROM cpu GROUP BY host ORDER BY host;

-- what a file has and what came after it
ADMIN FLUSH_TABLE('cpu');

INSERT INTO cpu VALUES ('2026-01-01 00:00:50', 'a', 'y', 9);

DELETE FROM cpu WHERE host = 'b' AND dc = 'y';

SELECT DISTINCT ON (host) host, dc, ts, usage FROM cpu ORDER BY host, ts DESC;

SELECT host, last_value(usage ORDER BY ts) AS newest FROM cpu WHERE dc = 'x' GROUP BY host ORDER BY host;

-- the oldest, and the newest of some rows only
SELECT host, first_value(usage ORDER BY ts) AS oldest FROM cpu GROUP BY host ORDER BY host;

SELECT host, last_value(usage ORDER BY ts) FROM cpu WHERE ts < '2026-01-01 00:00:30' GROUP BY host ORDER BY host;

-- as window functions they need a window
SELECT last_value(usage) FROM cpu;

DROP TABLE cpu;
