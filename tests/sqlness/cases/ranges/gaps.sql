CREATE TABLE gf (ts TIMESTAMP(3) TIME INDEX, host TEXT, v INT, PRIMARY KEY (host));

INSERT INTO gf VALUES
  ('2024-01-01 00:01', 'a', 1), ('2024-01-01 00:01:30', 'a', 3), ('2024-01-01 00:04', 'a', 10),
  ('2024-01-01 00:02', 'b', 5), ('2024-01-01 00:03', 'b', NULL);

-- Bounds as arguments: each group has all buckets from the first time to before the second.
SELECT time_bucket_gapfill('1 minute', ts, '2024-01-01 00:00', '2024-01-01 00:06') AS m, host, sum(v), count(*)
  FROM gf GROUP BY m, host ORDER BY host, m;

-- locf carries the last row on, NULL too unless told otherwise; interpolate goes straight between known values.
SELECT time_bucket_gapfill('1 minute', ts, start => '2024-01-01 00:01', finish => '2024-01-01 00:05') AS m, host,
       locf(max(v)) AS last, locf(max(v), treat_null_as_missing => true) AS known, interpolate(max(v)) AS line
  FROM gf GROUP BY m, host ORDER BY host, m;

-- Bounds from WHERE; what is computed from filled values sees them.
SELECT time_bucket_gapfill('1 minute', ts) AS m, sum(v), coalesce(sum(v), 0) AS z, locf(sum(v) * 2) + 1 AS l
  FROM gf WHERE ts > '2024-01-01 00:00' AND ts < '2024-01-01 00:04' AND host = 'a' GROUP BY 1 ORDER BY 1;

SELECT count(*), min(m), max(m) FROM (
  SELECT time_bucket_gapfill('1 hour', ts) AS m, count(*) AS c FROM gf
   WHERE ts BETWEEN TIMESTAMP '2024-01-01 00:30' AND TIMESTAMP '2024-01-01 05:00' GROUP BY m) q;

-- Bounds of now() are instants: three whole hours and the begun one, without rows.
SELECT count(*) FROM (
  SELECT time_bucket_gapfill('1 hour', ts) AS m, sum(v) FROM gf
   WHERE ts >= date_trunc('hour', now()) - INTERVAL '3 hours' AND ts <= date_trunc('hour', now()) GROUP BY m) q;

-- Without bounds every group is filled between its own first and last.
SELECT time_bucket_gapfill('1 minute', ts) AS m, host, sum(v) FROM gf GROUP BY m, host ORDER BY host, m;

-- Without rows there is a group only if nothing groups but the bucket.
SELECT time_bucket_gapfill('1 minute', ts, '2024-01-01', '2024-01-01 00:02') AS m, sum(v) FROM gf WHERE host = 'c' GROUP BY m ORDER BY m;

SELECT time_bucket_gapfill('1 minute', ts, '2024-01-01', '2024-01-01 00:02') AS m, host, sum(v) FROM gf WHERE host = 'c' GROUP BY m, host;

-- HAVING drops groups before, windows and LIMIT come after the filling.
SELECT time_bucket_gapfill('1 minute', ts) AS m, sum(v), sum(locf(sum(v))) OVER (ORDER BY time_bucket_gapfill('1 minute', ts)) AS running
  FROM gf WHERE host = 'a' GROUP BY m HAVING sum(v) > 0 ORDER BY m LIMIT 3;

-- Errors.
SELECT locf(sum(v)) FROM gf;

SELECT time_bucket_gapfill('1 minute', ts) FROM gf;

SELECT time_bucket_gapfill('1 month', ts), count(*) FROM gf GROUP BY 1;

SELECT time_bucket_gapfill('1 minute', host), count(*) FROM gf GROUP BY 1;

SELECT time_bucket_gapfill('1 minute', ts, ts), count(*) FROM gf GROUP BY 1;

SELECT time_bucket_gapfill('1 hour', ts), interpolate(max(host)) FROM gf GROUP BY 1;

SELECT time_bucket_gapfill('1 hour', ts), locf(locf(max(v))) FROM gf GROUP BY 1;

SELECT time_bucket_gapfill('1 hour', ts), max(v) FROM gf GROUP BY 1 HAVING locf(max(v)) > 1;

SELECT time_bucket_gapfill('1 hour', ts), time_bucket_gapfill('2 hours', ts) FROM gf GROUP BY 1, 2;

SELECT count(*) FROM gf WHERE time_bucket_gapfill('1 hour', ts) > now();

SELECT ts, locf(max(v) RANGE '5s') FROM gf ALIGN '5s';

EXPLAIN SELECT time_bucket_gapfill('1 minute', ts) AS m, host, sum(v) FROM gf WHERE ts >= '2024-01-01' AND ts <= '2024-01-02' AND host = 'a' GROUP BY m, host;

DROP TABLE gf;
