CREATE TABLE rn (ts TIMESTAMP TIME INDEX, host TEXT, v INT, PRIMARY KEY (host));

CREATE FLOW rn_sum SINK TO rn_daily AS SELECT date_bin(INTERVAL '1 day', ts) AS d, host, sum(v) AS total FROM rn GROUP BY d, host;

CREATE FLOW rn_all SINK TO rn_copy AS SELECT * FROM rn WHERE v > 1;

INSERT INTO rn VALUES ('2024-01-01 01:00', 'a', 1), ('2024-01-01 02:00', 'a', 2);

ALTER TABLE rn RENAME COLUMN v TO value;

ALTER TABLE rn ADD COLUMN extra INT;

ALTER TABLE rn RENAME TO renamed;

ALTER TABLE rn_daily RENAME TO per_day;

-- a flow is bound to its source's columns, not to their names
INSERT INTO renamed VALUES ('2024-01-01 03:00', 'b', 3, 7);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('rn_sum');

SELECT d, host, total FROM per_day ORDER BY host;

-- SQLNESS ARG restart=true
INSERT INTO renamed VALUES ('2024-01-02 03:00', 'b', 4, 8);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('rn_sum');

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('rn_all');

SELECT d, host, total FROM per_day ORDER BY d, host;

SELECT ts, host, v FROM rn_copy ORDER BY ts;

DROP TABLE renamed;

DROP TABLE renamed, per_day, rn_copy CASCADE;
