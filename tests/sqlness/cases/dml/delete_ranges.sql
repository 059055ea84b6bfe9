CREATE TABLE r (ts TIMESTAMP TIME INDEX, host TEXT, v INT, PRIMARY KEY (host));

CREATE FLOW hourly SINK TO r_hourly AS SELECT date_bin(INTERVAL '1 hour', ts) AS h, sum(v) AS total FROM r GROUP BY h;

INSERT INTO r SELECT TIMESTAMP '2024-01-01' + i * INTERVAL '1 second', host, 1 FROM generate_series(0, 19999) AS g(i), (VALUES ('a'), ('b'), ('c')) AS hosts(host);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('hourly');

SELECT h, total FROM r_hourly ORDER BY h;

-- three hours of one host
DELETE FROM r WHERE host = 'a' AND ts < '2024-01-01 03:00:00';

SELECT host, count(*), min(ts), max(ts) FROM r GROUP BY host ORDER BY host;

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('hourly');

SELECT h, total FROM r_hourly ORDER BY h;

-- two hours of two hosts
DELETE FROM r WHERE host IN ('b', 'c') AND ts >= '2024-01-01 01:00:00' AND '2024-01-01 03:00:00' > ts;

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('hourly');

SELECT h, total FROM r_hourly ORDER BY h;

SELECT ts, v FROM r WHERE host = 'b' AND ts BETWEEN '2024-01-01 00:59:58' AND '2024-01-01 03:00:01' ORDER BY ts;

BEGIN;

INSERT INTO r VALUES ('2024-01-02', 'd', 5);

SAVEPOINT s;

DELETE FROM r WHERE ts < '2024-01-01 05:00:00';

SELECT count(*) FROM r;

INSERT INTO r VALUES ('2024-01-01', 'a', 7);

SELECT count(*) FROM r;

ROLLBACK TO SAVEPOINT s;

SELECT count(*) FROM r;

DELETE FROM r;

SELECT count(*) FROM r;

INSERT INTO r VALUES ('2024-01-01', 'a', 7);

COMMIT;

SELECT * FROM r;

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('hourly');

SELECT h, total FROM r_hourly ORDER BY h;

DROP FLOW hourly;

DROP TABLE r_hourly;

DROP TABLE r;

-- tables without a TIME INDEX
CREATE TABLE p (id INT PRIMARY KEY, v INT UNIQUE);

INSERT INTO p SELECT i, -i FROM generate_series(1, 20000) AS g(i);

DELETE FROM p;

SELECT count(*) FROM p;

INSERT INTO p VALUES (1, -2);

INSERT INTO p VALUES (2, -2);

SELECT * FROM p;

DROP TABLE p;

CREATE TABLE q (v INT);

INSERT INTO q SELECT i FROM generate_series(1, 20000) AS g(i);

DELETE FROM q;

INSERT INTO q VALUES (3);

SELECT * FROM q;

DROP TABLE q;

-- what is deleted does not come back through fields that are not given
CREATE TABLE n (ts TIMESTAMP TIME INDEX, host TEXT, a INT, b INT, PRIMARY KEY (host)) WITH (merge_mode = 'last_non_null');

INSERT INTO n SELECT TIMESTAMP '2024-01-01' + i * INTERVAL '1 second', 'x', i, i FROM generate_series(0, 19999) AS g(i);

DELETE FROM n WHERE host = 'x';

INSERT INTO n (ts, host, b) VALUES ('2024-01-01 00:00:07', 'x', 1);

SELECT * FROM n;

DROP TABLE n;
