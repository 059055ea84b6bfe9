CREATE TABLE rr (ts TIMESTAMP(3) TIME INDEX, host TEXT, n BIGINT, PRIMARY KEY (host));

-- A counter that starts again at 30 s; b has one sample that is known.
INSERT INTO rr VALUES (30000, 'a', 4), (0, 'a', 10), (20000, 'a', 30), (10000, 'a', 16), (40000, 'a', 6),
  (0, 'b', 7), (10000, 'b', NULL);

-- 6 and 14 up, 4 since the new start, 2 up: 26 in 40 s. The last is 4 below the first.
SELECT host, delta(n, ts), increase(n, ts), rate(n, ts) FROM rr GROUP BY host ORDER BY host;

SELECT ts, increase(n, ts) RANGE '20s' AS i, rate(n, ts) RANGE '20s' AS r, delta(n, ts) RANGE '30s' AS d
  FROM rr WHERE host = 'a' ALIGN '20s' ORDER BY ts;

SELECT date_bin('30 s', ts) AS b, rate(n, ts) FROM rr WHERE host = 'a' GROUP BY b ORDER BY b;

-- As window functions they follow the window's order.
SELECT ts, increase(n, ts) OVER (ORDER BY ts) FROM rr WHERE host = 'a' ORDER BY ts;

SELECT rate(n, ts) FILTER (WHERE n > 5) AS r, pg_typeof(delta(n, ts)) FROM rr WHERE host = 'a';

-- Samples of one moment have no rate.
SELECT rate(v, TIMESTAMPTZ '2024-01-01'), increase(v, TIMESTAMPTZ '2024-01-01') FROM (VALUES (1), (1)) x (v);

SELECT rate(host, ts) FROM rr;

SELECT rate(n) FROM rr;

DROP TABLE rr;
