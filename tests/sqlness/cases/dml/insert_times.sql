-- Time columns of tables with a TIME INDEX take integers in their unit and texts from queries as they do from literals.
CREATE TABLE t (ts TIMESTAMP(3) TIME INDEX, s TIMESTAMP(0), z TIMESTAMPTZ, n TIMESTAMP(9));

INSERT INTO t SELECT x * 1000, x, x * 1000000, x FROM generate_series(1, 2) AS g (x);

INSERT INTO t SELECT x, x, x, x FROM (VALUES ('2024-02-29 12:00:00'::text)) AS v (x);

SELECT * FROM t ORDER BY ts;

-- UPDATE likewise; an integer may be negative, or too large.
UPDATE t SET s = -extract(day FROM ts)::int WHERE ts > '2000-01-01';

SELECT ts, s FROM t WHERE ts > '2000-01-01';

INSERT INTO t (ts, s) SELECT 7, x FROM (VALUES (9223372036854775807)) AS v (x);

INSERT INTO t (ts) SELECT x FROM (VALUES ('yesterdayish'::text)) AS v (x);

INSERT INTO t (ts) SELECT 1.5;

INSERT INTO t (ts) SELECT x FROM (VALUES (1.5)) AS v (x);

DROP TABLE t;

-- Other tables keep to PostgreSQL's assignments.
CREATE TABLE plain (id INT PRIMARY KEY, ts TIMESTAMP);

INSERT INTO plain SELECT x, x FROM generate_series(1, 2) AS g (x);

DROP TABLE plain;
