CREATE FLOW df SINK TO df_daily WITH (defer_on_missing_source = 'true') AS SELECT date_bin(INTERVAL '1 day', ts) AS d, count(*) AS n FROM df_later GROUP BY d;

ADMIN FLUSH_FLOW('df');

CREATE TABLE df_later (ts TIMESTAMP TIME INDEX, v INT);

INSERT INTO df_later VALUES ('2024-01-01', 1);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('df');

SELECT d, n FROM df_daily;

-- its source may go, and come back
DROP TABLE df_later;

ADMIN FLUSH_FLOW('df');

CREATE TABLE df_later (ts TIMESTAMP TIME INDEX, v INT);

INSERT INTO df_later VALUES ('2024-02-01', 1), ('2024-02-01 01:00', 1);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('df');

SELECT d, n FROM df_daily;

DROP FLOW df;

DROP TABLE df_later, df_daily;
