SET TimeZone = 'America/New_York';

CREATE TABLE zn (ts TIMESTAMPTZ TIME INDEX, v INT);

CREATE FLOW zn_dates SINK TO zn_by_date AS SELECT ts::date AS d, count(*) AS n FROM zn GROUP BY 1;

CREATE FLOW zn_days SINK TO zn_by_day AS SELECT date_trunc('day', ts) AS d, count(*) AS n FROM zn GROUP BY 1;

CREATE FLOW zn_buckets SINK TO zn_by_bucket AS SELECT time_bucket(INTERVAL '5 hours', ts) AS b, count(*) AS n FROM zn GROUP BY 1;

INSERT INTO zn VALUES ('2024-03-09 12:00', 1), ('2024-03-10 12:00', 1), ('2024-03-11 12:00', 1), ('infinity', 1);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('zn_dates');

INSERT INTO zn VALUES ('2024-03-10 23:30', 1), ('2024-03-10 00:30', 1);

-- the day on which clocks go forward has 23 hours
-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('zn_dates');

SELECT d, n FROM zn_by_date ORDER BY d;

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('zn_days');

DELETE FROM zn WHERE ts::date = '2024-03-10' OR ts = 'infinity';

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('zn_dates');

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('zn_days');

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('zn_buckets');

SELECT d, n FROM zn_by_date ORDER BY d;

SELECT d, n FROM zn_by_day ORDER BY d;

-- the same as the query
SELECT b, n FROM zn_by_bucket EXCEPT SELECT time_bucket(INTERVAL '5 hours', ts), count(*) FROM zn GROUP BY 1;

SELECT count(*) FROM zn_by_bucket;

DROP TABLE zn, zn_by_date, zn_by_day, zn_by_bucket CASCADE;

RESET TimeZone;
