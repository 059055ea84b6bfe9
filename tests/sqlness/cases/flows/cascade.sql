CREATE TABLE s (ts TIMESTAMP TIME INDEX, v INT);

CREATE FLOW by_minute SINK TO minutes AS SELECT date_bin(INTERVAL '1 minute', ts) AS m, sum(v) AS total FROM s GROUP BY m;

CREATE FLOW by_hour SINK TO hours AS SELECT date_bin(INTERVAL '1 hour', m) AS h, sum(total) AS total FROM minutes GROUP BY h;

INSERT INTO s VALUES ('2024-01-01 00:00:10', 1), ('2024-01-01 00:01:10', 2), ('2024-01-01 01:00:10', 4);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('by_hour');

SELECT h, total FROM hours ORDER BY h;

CREATE OR REPLACE FLOW by_minute SINK TO minutes AS SELECT date_bin(INTERVAL '1 minute', ts) AS m, sum(v) * 10 AS total FROM s GROUP BY m;

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('by_hour');

SELECT h, total FROM hours ORDER BY h;

DROP FLOW by_hour;

DROP FLOW by_minute;

DROP TABLE s;

DROP TABLE minutes;

DROP TABLE hours;
