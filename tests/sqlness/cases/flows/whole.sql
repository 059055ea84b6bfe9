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

-- rows that are equal in all columns are all there
CREATE TABLE wh_left (ts TIMESTAMP TIME INDEX, h TEXT, v INT, PRIMARY KEY (h));

CREATE TABLE wh_right (h TEXT PRIMARY KEY, name TEXT);

CREATE FLOW wh_union SINK TO wh_union_k EVAL INTERVAL '1 hour' AS SELECT ts, v FROM wh_left UNION ALL SELECT ts, v FROM wh_left;

CREATE FLOW wh_join SINK TO wh_join_k EVAL INTERVAL '1 hour' AS SELECT l.ts, r.name, l.v FROM wh_left l JOIN wh_right r ON l.h = r.h;

CREATE FLOW wh_named SINK TO wh_named_k EVAL INTERVAL '1 hour' AS SELECT r.name, sum(l.v) AS total FROM wh_left l JOIN wh_right r ON l.h = r.h GROUP BY r.name;

CREATE FLOW wh_last SINK TO wh_last_k EVAL INTERVAL '1 hour' AS SELECT ts, h, v FROM wh_left ORDER BY v DESC, h LIMIT 2;

INSERT INTO wh_left VALUES ('2024-01-01', 'a', 1), ('2024-01-01', 'b', 1), ('2024-01-02', 'b', 5);

INSERT INTO wh_right VALUES ('a', 'A'), ('b', 'A');

ADMIN FLUSH_FLOW('wh_union');

ADMIN FLUSH_FLOW('wh_join');

ADMIN FLUSH_FLOW('wh_named');

ADMIN FLUSH_FLOW('wh_last');

SELECT ts, v FROM wh_union_k ORDER BY ts;

SELECT ts, name, v FROM wh_join_k ORDER BY ts;

SELECT name, total FROM wh_named_k;

SELECT ts, h, v FROM wh_last_k ORDER BY v;

DELETE FROM wh_right WHERE h = 'b';

DELETE FROM wh_left WHERE v = 5;

ADMIN FLUSH_FLOW('wh_union');

ADMIN FLUSH_FLOW('wh_join');

ADMIN FLUSH_FLOW('wh_named');

ADMIN FLUSH_FLOW('wh_last');

SELECT ts, v FROM wh_union_k ORDER BY ts;

SELECT ts, name, v FROM wh_join_k ORDER BY ts;

SELECT name, total FROM wh_named_k;

SELECT ts, h, v FROM wh_last_k ORDER BY h;

-- a sink without the hidden key cannot hold them
CREATE TABLE wh_own (ts TIMESTAMP TIME INDEX, v INT);

CREATE FLOW wh_bag SINK TO wh_own EVAL INTERVAL '1 hour' AS SELECT ts, v FROM wh_left UNION ALL SELECT ts, v FROM wh_left;

CREATE FLOW wh_clock SINK TO wh_clock_k AS SELECT ts, CASE WHEN v > 1 THEN ts ELSE now() END AS t FROM wh_left;

DROP TABLE wh_left, wh_right, wh_union_k, wh_join_k, wh_named_k, wh_last_k, wh_own CASCADE;
