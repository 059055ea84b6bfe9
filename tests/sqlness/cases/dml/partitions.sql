-- a key in one region each
CREATE TABLE acc (owner TEXT, id INT, balance INT, PRIMARY KEY (owner, id)) PARTITION ON COLUMNS (owner) (owner < 'm', owner >= 'm');

INSERT INTO acc VALUES ('ann', 1, 10), ('zoe', 1, 20), ('bob', 1, 30), ('tim', 2, 40);

SELECT partition_name, table_rows FROM information_schema.partitions WHERE table_name = 'acc' ORDER BY 1;

INSERT INTO acc VALUES ('new', 1, 0), ('zoe', 1, 0);

SELECT count(*) FROM acc;

INSERT INTO acc VALUES ('ann', 1, 5), ('zoe', 1, 5), ('kim', 1, 5) ON CONFLICT (owner, id) DO UPDATE SET balance = acc.balance + excluded.balance RETURNING *;

INSERT INTO acc VALUES ('ann', 1, 0), ('pat', 1, 50) ON CONFLICT DO NOTHING RETURNING owner;

REPLACE INTO acc VALUES ('ann', 1, 1), ('zoe', 1, 2);

UPDATE acc SET balance = balance * 10 WHERE id = 1 RETURNING owner, balance;

-- a row that changes its key changes its region
UPDATE acc SET owner = 'yan' WHERE owner = 'bob';

UPDATE acc SET owner = 'zoe' WHERE owner = 'ann';

SELECT * FROM acc ORDER BY owner, id;

-- one region is read for each
SELECT owner FROM acc WHERE owner < 'm' ORDER BY owner;

SELECT owner FROM acc WHERE owner >= 'm' ORDER BY owner;

DELETE FROM acc WHERE balance >= 40 RETURNING owner;

SELECT * FROM acc ORDER BY owner, id;

-- UNIQUE is held over all regions
CREATE TABLE uni (a INT, u INT UNIQUE, note TEXT) PARTITION ON COLUMNS (a) (a < 10, a >= 10);

INSERT INTO uni VALUES (1, 100, 'low'), (11, 200, 'high');

INSERT INTO uni VALUES (12, 100, 'twice');

INSERT INTO uni VALUES (2, 200, 'up') ON CONFLICT (u) DO UPDATE SET a = excluded.a, note = excluded.note;

INSERT INTO uni VALUES (15, 100, 'no') ON CONFLICT (u) DO NOTHING;

SELECT * FROM uni ORDER BY a;

SELECT partition_name, partition_expression FROM information_schema.partitions WHERE table_name = 'uni' ORDER BY 1;

-- without a key, rows move too
CREATE TABLE logs (level INT, line TEXT) PARTITION ON COLUMNS (level) (level < 3, level >= 3 AND level < 6, level >= 6);

INSERT INTO logs VALUES (1, 'a'), (2, 'b'), (3, 'c'), (6, 'd'), (NULL, 'e'), (6, 'd');

UPDATE logs SET level = level + 3 WHERE level < 6 RETURNING *;

SELECT * FROM logs ORDER BY level NULLS FIRST, line;

DELETE FROM logs WHERE line IN ('b', 'e');

UPDATE logs SET line = upper(line);

DELETE FROM logs WHERE level = 6 AND line = 'C';

SELECT * FROM logs ORDER BY level, line;

-- transactions
BEGIN;

INSERT INTO logs VALUES (0, 'x'), (9, 'y');

SAVEPOINT s;

UPDATE logs SET level = 4 WHERE line IN ('x', 'y');

SELECT * FROM logs WHERE line IN ('x', 'y') ORDER BY line;

ROLLBACK TO s;

SELECT * FROM logs WHERE line IN ('x', 'y') ORDER BY line;

DELETE FROM logs WHERE line = 'x';

SELECT count(*) FROM logs;

COMMIT;

SELECT * FROM logs ORDER BY level, line;

BEGIN;

DELETE FROM logs;

INSERT INTO logs SELECT i % 9, 'n' FROM generate_series(1, 90) i;

SELECT level, count(*) FROM logs GROUP BY level ORDER BY level;

ROLLBACK;

SELECT count(*) FROM logs;

-- overwriting by key and time
CREATE TABLE cpu (host TEXT, ts TIMESTAMP TIME INDEX, a INT, b INT, PRIMARY KEY (host)) PARTITION ON COLUMNS (host) (host < 'm', host >= 'm') WITH (merge_mode = 'last_non_null');

INSERT INTO cpu VALUES ('a', '2024-01-01', 1, NULL), ('z', '2024-01-01', 1, NULL);

INSERT INTO cpu VALUES ('a', '2024-01-01', NULL, 2), ('z', '2024-01-01', NULL, 3);

UPDATE cpu SET a = NULL WHERE b = 3;

SELECT * FROM cpu ORDER BY host;

DELETE FROM cpu WHERE host = 'a';

SELECT * FROM cpu ORDER BY host;

CREATE TABLE ev (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host)) PARTITION ON COLUMNS (host) (host < 'm', host >= 'm') WITH (append_mode = 'true');

INSERT INTO ev VALUES ('a', '2024-01-01', 1), ('a', '2024-01-01', 1), ('z', '2024-01-01', 1), ('z', '2024-01-01', 1);

SELECT host, count(*) FROM ev GROUP BY host ORDER BY host;

DROP TABLE acc, uni, logs, cpu, ev;
