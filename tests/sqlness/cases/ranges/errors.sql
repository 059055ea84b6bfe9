CREATE TABLE re (ts TIMESTAMP(3) TIME INDEX, host TEXT, v INT, j JSON, PRIMARY KEY (host));

-- RANGE and ALIGN need each other.
SELECT max(v) RANGE '5s' FROM re;

SELECT max(v) FROM re ALIGN '5s';

SELECT ts, host FROM re ALIGN '5s';

SELECT ts, sum(v) RANGE '5s' FROM re GROUP BY ts ALIGN '5s';

SELECT ts, max(v) RANGE '5s' FROM re HAVING true ALIGN '5s' BY () HAVING true;

-- What has a window.
SELECT abs(v) RANGE '5s' FROM re ALIGN '5s';

SELECT max(v) RANGE '5s' OVER () FROM re ALIGN '5s';

SELECT max(max(v) RANGE '5s') RANGE '5s' FROM re ALIGN '5s';

SELECT max(v) RANGE '5s' FROM re WHERE max(v) RANGE '5s' > 1 ALIGN '5s';

-- Columns that are neither grouped nor the time.
SELECT ts, v, max(v) RANGE '5s' FROM re ALIGN '5s';

SELECT ts, host, max(v) RANGE '5s' FROM re ALIGN '5s' BY ();

SELECT ts, max(v) RANGE '5s' FROM re ALIGN '5s' BY (max(v));

SELECT ts, max(v) RANGE '5s' FROM re ALIGN '5s' BY (j);

SELECT ts, max(v) RANGE '5s' FROM re ALIGN '5s' BY (nowhere);

-- Intervals.
SELECT max(v) RANGE '0s' FROM re ALIGN '5s';

SELECT max(v) RANGE (INTERVAL '1' day - INTERVAL '2' day) FROM re ALIGN '5s';

SELECT max(v) RANGE '5s' FROM re ALIGN '1 month';

SELECT max(v) RANGE '1 year'::interval FROM re ALIGN '5s';

SELECT max(v) RANGE 'five' FROM re ALIGN '5s';

SELECT max(v) RANGE (now()) FROM re ALIGN '5s';

SELECT max(v) RANGE (v * INTERVAL '1 s') FROM re ALIGN '5s';

SELECT max(v) RANGE (NULL::interval) FROM re ALIGN '5s';

SELECT max(v) RANGE '5s' FROM re ALIGN '1500us';

SELECT max(v) RANGE '100 years'::interval FROM re ALIGN '5s';

SELECT max(v) RANGE '36500 days' FROM re ALIGN '5s';

-- Origins.
SELECT max(v) RANGE '5s' FROM re ALIGN '5s' TO somewhere;

SELECT max(v) RANGE '5s' FROM re ALIGN '5s' TO 'somewhere';

SELECT max(v) RANGE '5s' FROM re ALIGN '5s' TO 1.5;

SELECT max(v) RANGE '5s' FROM re ALIGN '5s' TO (true);

SELECT max(v) RANGE '5s' FROM re ALIGN '5s' TO (ts);

SELECT max(v) RANGE '5s' FROM re ALIGN '5s' TO 'infinity';

-- Fills.
SELECT max(host) RANGE '5s' FILL LINEAR FROM re ALIGN '5s';

SELECT max(v) RANGE '5s' FILL 6.5 FROM re ALIGN '5s';

SELECT max(v) RANGE '5s' FILL 'six' FROM re ALIGN '5s';

SELECT max(v) RANGE '5s' FILL (v) FROM re ALIGN '5s';

SELECT max(v) RANGE '5s' FILL somehow FROM re ALIGN '5s';

-- The time of the rows.
SELECT max(v) RANGE '5s' FROM (SELECT v FROM re) ALIGN '5s';

SELECT max(v) RANGE '5s' FROM (SELECT ts + '1 s' AS a, ts + '2 s' AS b, v FROM re) ALIGN '5s';

DROP TABLE re;
