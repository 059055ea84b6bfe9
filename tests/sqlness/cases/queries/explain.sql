CREATE TABLE ex (ts TIMESTAMP TIME INDEX, host TEXT, v INT, PRIMARY KEY (host));

EXPLAIN SELECT v FROM ex WHERE host = 'a' AND ts >= '2024-01-01';

EXPLAIN SELECT nosuch FROM ex;

DROP TABLE ex;

CREATE TABLE changed (id INT PRIMARY KEY, v INT);

-- the statement runs: figures differ, rows do not
-- SQLNESS REPLACE (?s).*(Insert\son\schanged).*?(rows=\d+\)).* $1,$2
EXPLAIN ANALYZE INSERT INTO changed SELECT g, g FROM generate_series(1, 3) AS g;

-- SQLNESS REPLACE (?s).*(Update\son\schanged).*?(rows=\d+\)).* $1,$2
EXPLAIN ANALYZE UPDATE changed SET v = v + 10 WHERE id > 1;

-- SQLNESS REPLACE (?s).*(Delete\son\schanged).*?(rows=\d+\)).* $1,$2
EXPLAIN ANALYZE DELETE FROM changed WHERE id = 3 RETURNING v;

SELECT * FROM changed ORDER BY id;

DROP TABLE changed;
