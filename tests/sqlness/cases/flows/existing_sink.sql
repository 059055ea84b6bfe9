CREATE TABLE es (ts TIMESTAMP TIME INDEX, host TEXT, v INT, PRIMARY KEY (host));

CREATE TABLE wrong (ts TIMESTAMP TIME INDEX, total BIGINT);

CREATE FLOW ef SINK TO wrong AS SELECT date_bin(INTERVAL '1 day', ts) AS ts, host, sum(v) AS total FROM es GROUP BY 1, host;

CREATE TABLE good (ts TIMESTAMP TIME INDEX, host TEXT, total BIGINT, PRIMARY KEY (host));

CREATE FLOW ef SINK TO good AS SELECT date_bin(INTERVAL '1 day', ts) AS ts, host, sum(v) AS total FROM es GROUP BY 1, host;

INSERT INTO es VALUES ('2024-01-01 01:00', 'a', 1), ('2024-01-01 02:00', 'a', 2), ('2024-01-02', 'b', 4);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('ef');

SELECT * FROM good ORDER BY ts, host;

DROP FLOW ef;

DROP TABLE es, wrong, good;
