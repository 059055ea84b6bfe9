CREATE TABLE af (ts TIMESTAMP TIME INDEX, v INT);

CREATE FLOW af_one SINK TO af_k1 AS SELECT date_bin(INTERVAL '1 day', ts) AS d, sum(v) AS t FROM af GROUP BY d;

CREATE FLOW af_two SINK TO af_k2 AS SELECT ts, v FROM af;

-- a name that is taken
ALTER FLOW af_one RENAME TO af_two;

ALTER FLOW af_one SET (flow_type = 'streaming');

ALTER FLOW af_one SET (min_refresh = '100ms');

ALTER FLOW af_one RENAME TO af_three;

SHOW FLOWS;

INSERT INTO af VALUES ('2024-01-01', 1);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('af_three');

ADMIN FLUSH_FLOW('af_three');

-- a replacement that fails leaves the old flow as it was
CREATE OR REPLACE FLOW af_three SINK TO af_k1 AS SELECT date_bin(INTERVAL '1 day', ts) AS d, sum(v) AS t FROM af WHERE nosuch GROUP BY d;

INSERT INTO af VALUES ('2024-01-01 01:00', 2);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('af_three');

SELECT d, t FROM af_k1;

DROP TABLE af, af_k1, af_k2 CASCADE;
