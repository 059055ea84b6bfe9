CREATE TABLE temps (ts TIMESTAMP TIME INDEX, city TEXT, t DOUBLE, PRIMARY KEY (city));

CREATE FLOW daily SINK TO temps_daily AS SELECT date_bin(INTERVAL '1 day', ts) AS day, city, min(t) AS lo, max(t) AS hi, count(*) AS n FROM temps GROUP BY day, city;

INSERT INTO temps VALUES ('2024-01-01 06:00', 'a', 1), ('2024-01-01 12:00', 'a', 5), ('2024-01-02 06:00', 'a', 2), ('2024-01-01 06:00', 'b', 9);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('daily');

SELECT day, city, lo, hi, n FROM temps_daily ORDER BY day, city;

-- a late row corrects its day
INSERT INTO temps VALUES ('2024-01-01 23:00', 'a', 7);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('daily');

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('daily');

SELECT day, city, lo, hi, n FROM temps_daily ORDER BY day, city;

-- a day without rows leaves the sink
DELETE FROM temps WHERE ts >= '2024-01-02';

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('daily');

SELECT day, city, lo, hi, n FROM temps_daily ORDER BY day, city;

DROP TABLE temps;

DROP FLOW daily;

DROP TABLE temps;

SELECT count(*) FROM temps_daily;

DROP TABLE temps_daily;
