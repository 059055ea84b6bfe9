CREATE TABLE rf (ts TIMESTAMP(3) TIME INDEX, host TEXT, v BIGINT, d DOUBLE PRECISION, PRIMARY KEY (host));

INSERT INTO rf VALUES
  (0, 'a', NULL, NULL), (5000, 'a', 1, 1.5), (20000, 'a', 7, 'NaN'), (25000, 'a', NULL, NULL),
  (5000, 'b', 4, 2);

-- Without FILL points without rows are left out, and a window without values is NULL.
SELECT ts, max(v) RANGE '5s' FROM rf WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- FILL NULL adds the points between the first and the last of each group.
SELECT ts, host, max(v) RANGE '5s' FILL NULL FROM rf ALIGN '5s' ORDER BY host, ts;

-- PREV has nothing before the first value.
SELECT ts, max(v) RANGE '5s' FILL PREV AS v, max(d) RANGE '5s' FILL PREV AS d FROM rf WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- From 1 at 5 s to 7 at 20 s it is 2 per point, and so on to both sides.
SELECT ts, max(v) RANGE '5s' FILL LINEAR FROM rf WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- One value makes no line.
SELECT ts, host, max(v) RANGE '10s' FILL LINEAR FROM rf WHERE v > 1 ALIGN '5s' ORDER BY host, ts;

-- NaN is a value: no gap, and no number on a line through it.
SELECT ts, max(d) RANGE '5s' FILL LINEAR FROM rf WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- Constants are of the item's type.
SELECT ts, max(v) RANGE '5s' FILL -1 AS v, max(host) RANGE '5s' FILL 'none' AS h, max(d) RANGE '5s' FILL 6 AS d
  FROM rf WHERE host = 'a' ALIGN '5s' BY () ORDER BY ts;

-- The fill behind ALIGN is for all items without their own.
SELECT ts, max(v) RANGE '5s' AS prev, max(v) RANGE '5s' FILL 0 AS zero, count(*) RANGE '5s' FILL NULL AS n
  FROM rf WHERE host = 'a' ALIGN '5s' FILL PREV ORDER BY ts;

-- One item's FILL adds rows for the others too, which stay NULL.
SELECT ts, max(v) RANGE '5s' AS plain, max(v) RANGE '5s' FILL 9 AS nine FROM rf WHERE host = 'a' ALIGN '5s' ORDER BY ts;

-- Numeric stays numeric, real stays real, other numbers become double precision.
SELECT pg_typeof(max(v) RANGE '5s' FILL LINEAR) AS i, pg_typeof(sum(v) RANGE '5s' FILL LINEAR) AS n,
       pg_typeof(max(d::real) RANGE '5s' FILL LINEAR) AS r, pg_typeof(max(v) RANGE '5s' FILL 1) AS c
  FROM rf WHERE host = 'b' ALIGN '5s';

SELECT ts, sum(v) RANGE '5s' FILL LINEAR FROM rf WHERE host = 'a' ALIGN '10s' TO '1970-01-01 00:00:05' ORDER BY ts;

DROP TABLE rf;
