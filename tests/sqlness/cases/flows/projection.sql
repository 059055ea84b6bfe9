CREATE TABLE readings (ts TIMESTAMP TIME INDEX, device TEXT, v INT, PRIMARY KEY (device));

CREATE FLOW alerts SINK TO alarm AS SELECT ts, device, v FROM readings WHERE v > 100;

INSERT INTO readings VALUES ('2024-01-01', 'x', 50), ('2024-01-01', 'y', 150), ('2024-01-02', 'x', 200);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('alerts');

SELECT ts, device, v FROM alarm ORDER BY ts, device;

UPDATE readings SET v = 10 WHERE device = 'y';

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('alerts');

SELECT ts, device, v FROM alarm ORDER BY ts, device;

TRUNCATE TABLE readings;

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('alerts');

SELECT count(*) FROM alarm;

DROP FLOW alerts;

DROP TABLE alarm;

DROP TABLE readings;
