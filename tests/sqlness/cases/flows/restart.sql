CREATE TABLE rs (ts TIMESTAMP TIME INDEX, v INT);

CREATE FLOW rf SINK TO rs_hourly AS SELECT date_bin(INTERVAL '1 hour', ts) AS h, count(*) AS n, avg(v) AS mean FROM rs GROUP BY h;

INSERT INTO rs VALUES ('2024-01-01 00:10', 1), ('2024-01-01 00:20', 3);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('rf');

INSERT INTO rs VALUES ('2024-01-01 00:30', 5), ('2024-01-01 01:30', 7);

-- SQLNESS ARG restart=true
SHOW FLOWS;

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('rf');

SELECT h, n, mean FROM rs_hourly ORDER BY h;

DROP FLOW rf;

DROP TABLE rs, rs_hourly;
