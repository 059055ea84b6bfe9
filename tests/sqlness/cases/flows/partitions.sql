CREATE TABLE temps (ts TIMESTAMP TIME INDEX, city TEXT, t DOUBLE, PRIMARY KEY (city)) PARTITION ON COLUMNS (city) (city < 'h', city >= 'h' AND city < 'p', city >= 'p');

CREATE TABLE days (day TIMESTAMP TIME INDEX, city TEXT, hi DOUBLE, n BIGINT, PRIMARY KEY (city)) PARTITION ON COLUMNS (city) (city < 'k', city >= 'k');

CREATE FLOW daily SINK TO days AS SELECT date_bin(INTERVAL '1 day', ts) AS day, city, max(t) AS hi, count(*) AS n FROM temps GROUP BY day, city;

CREATE FLOW all_days SINK TO totals AS SELECT date_bin(INTERVAL '1 day', ts) AS day, max(t) AS hi, count(*) AS n FROM temps GROUP BY day;

-- one commit over all regions
INSERT INTO temps VALUES ('2024-01-01 06:00', 'a', 1), ('2024-01-01 12:00', 'k', 5), ('2024-01-02 06:00', 'z', 2), ('2024-01-01 07:00', 'z', 9);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('daily');

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('all_days');

SELECT day, city, hi, n FROM days ORDER BY day, city;

SELECT partition_name, partition_expression, table_rows FROM information_schema.partitions WHERE table_name = 'days' ORDER BY 1;

SELECT day, hi, n FROM totals ORDER BY day;

-- late rows, changes and deletions in any region
INSERT INTO temps VALUES ('2024-01-01 23:00', 'a', 7), ('2024-01-01 12:00', 'k', 6);

DELETE FROM temps WHERE ts >= '2024-01-02';

UPDATE temps SET city = 'b' WHERE city = 'z';

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('daily');

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('all_days');

SELECT day, city, hi, n FROM days ORDER BY day, city;

SELECT day, hi, n FROM totals ORDER BY day;

-- SQLNESS ARG restart=true
SELECT count(*) FROM temps;

INSERT INTO temps VALUES ('2024-01-03', 'q', 3), ('2024-01-03', 'c', 4);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('daily');

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('all_days');

SELECT day, city, hi, n FROM days ORDER BY day, city;

SELECT day, hi, n FROM totals ORDER BY day;

TRUNCATE temps;

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('daily');

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('all_days');

SELECT count(*) FROM days;

SELECT count(*) FROM totals;

DROP FLOW daily;

DROP FLOW all_days;

DROP TABLE temps, days, totals;
