CREATE TABLE ev (ts TIMESTAMP TIME INDEX, kind TEXT, n INT, PRIMARY KEY (kind));

CREATE FLOW busy SINK TO busy_minutes AS SELECT date_bin(INTERVAL '1 minute', ts) AS m, sum(n) AS total FROM ev WHERE n > 0 GROUP BY m HAVING sum(n) >= 10;

INSERT INTO ev VALUES ('2024-01-01 00:00:01', 'a', 6), ('2024-01-01 00:00:02', 'b', 5), ('2024-01-01 00:01:00', 'a', 3), ('2024-01-01 00:01:01', 'c', -100);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('busy');

SELECT m, total FROM busy_minutes ORDER BY m;

-- HAVING turns false: the row leaves the sink
UPDATE ev SET n = 1 WHERE kind = 'b';

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('busy');

SELECT m, total FROM busy_minutes ORDER BY m;

DROP FLOW busy;

DROP TABLE ev, busy_minutes;
