CREATE TABLE wh (ts TIMESTAMP TIME INDEX, host TEXT, v INT, PRIMARY KEY (host));

CREATE FLOW totals SINK TO wh_totals EVAL INTERVAL '1 hour' AS SELECT host, sum(v) AS total FROM wh GROUP BY host;

INSERT INTO wh VALUES ('2024-01-01', 'a', 1), ('2024-01-02', 'a', 2), ('2024-01-02', 'b', 4);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('totals');

SELECT host, total FROM wh_totals ORDER BY host;

DELETE FROM wh WHERE host = 'b';

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('totals');

SELECT host, total FROM wh_totals ORDER BY host;

DROP FLOW totals;

DROP TABLE wh, wh_totals;
