CREATE TABLE rs (ts TIMESTAMP(3) TIME INDEX, host TEXT, v INT, seen TIMESTAMP(3), PRIMARY KEY (host));

INSERT INTO rs VALUES (0, 'a', 1, 0), (6000, 'a', 2, 0), (0, 'b', 3, 0), (6000, 'b', 4, 0);

-- A range query as a source, filtered by its key, with and without a name.
SELECT * FROM (SELECT ts, host, sum(v) RANGE '5s' AS s FROM rs ALIGN '5s') q WHERE host = 'b' ORDER BY ts;

SELECT max(s) FROM (SELECT ts, host, sum(v) RANGE '5s' AS s FROM rs ALIGN '5s');

-- Over a subquery: the time index and the primary key are known through it.
SELECT t, sum(w) RANGE '10s' FROM (SELECT ts AS t, v AS w, seen FROM rs WHERE v > 1) ALIGN '10s';

SELECT ts, h, sum(v) RANGE '10s' FROM (SELECT ts, host AS h, v FROM rs ORDER BY v) q ALIGN '10s' ORDER BY h;

SELECT ts, sum(v) RANGE '10s' FROM (SELECT ts, v, seen FROM rs UNION ALL SELECT ts, v, seen FROM rs) u ALIGN '10s' BY ();

-- A range query over a range query: windows of windows.
SELECT ts, max(s) RANGE '10s' FROM (SELECT ts, host, sum(v) RANGE '5s' AS s FROM rs ALIGN '5s') ALIGN '10s' BY ();

WITH five AS (SELECT ts, sum(v) RANGE '5s' AS s FROM rs ALIGN '5s' BY ()) SELECT a.ts, a.s, b.s FROM five a JOIN five b ON b.ts = a.ts + INTERVAL '5 s';

-- In views, unions, IN and scalar subqueries.
CREATE VIEW rsv AS SELECT ts, host, sum(v) RANGE '5s' AS s FROM rs ALIGN '5s';

SELECT host, sum(s) FROM rsv GROUP BY host ORDER BY host;

SELECT host FROM rs WHERE v IN (SELECT max(v) RANGE '10s' FROM rs ALIGN '10s' BY (host)) ORDER BY host;

SELECT (SELECT sum(v) RANGE '10s' FROM rs WHERE host = o.host ALIGN '10s' BY ()) AS s FROM (VALUES ('a'), ('b')) o (host);

SELECT ts, sum(v) RANGE '5s' FROM rs ALIGN '5s' BY () UNION ALL SELECT ts, sum(v) RANGE '10s' FROM rs ALIGN '10s' BY () ORDER BY 1, 2;

-- The only timestamp of rows that are no table's.
SELECT t, count(*) RANGE '2s' FROM generate_series(timestamp '2024-01-01', '2024-01-01 00:00:03', '1 s') t ALIGN '2s' ORDER BY t;

INSERT INTO rs SELECT ts + INTERVAL '1 h', 'all', sum(v) RANGE '5s', ts FROM rs ALIGN '5s' BY ();

SELECT ts, v FROM rs WHERE host = 'all' ORDER BY ts;

EXPLAIN SELECT ts, host, sum(v) RANGE '10s' FILL PREV FROM rs WHERE ts < '2024-01-01' AND host = 'a' ALIGN '5s' TO CALENDAR BY (host);

DROP VIEW rsv;

DROP TABLE rs;
