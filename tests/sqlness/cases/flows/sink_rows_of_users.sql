CREATE TABLE su (ts TIMESTAMP TIME INDEX, host TEXT, v INT, PRIMARY KEY (host));

-- the output does not show its key, so the sink has a hidden one
CREATE FLOW suf SINK TO su_out AS SELECT ts, v FROM su;

INSERT INTO su VALUES ('2024-01-01', 'a', 1), ('2024-01-01', 'b', 1);

-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('suf');

-- rows of a user's own are rows like those of a table without a key
INSERT INTO su_out VALUES ('2024-05-01', 5), ('2024-05-01', 5);

INSERT INTO su_out VALUES ('2024-05-01', 5) ON CONFLICT DO NOTHING;

INSERT INTO su_out SELECT * FROM su_out WHERE ts >= '2024-05-01';

UPDATE su_out SET v = 6 WHERE ts = '2024-05-01';

SELECT ts, v FROM su_out ORDER BY ts, v;

DELETE FROM su WHERE host = 'a';

-- the flow does not touch them
-- SQLNESS REPLACE \d+ N
ADMIN FLUSH_FLOW('suf');

SELECT ts, v FROM su_out ORDER BY ts, v;

DELETE FROM su_out WHERE v = 6;

SELECT ts, v FROM su_out;

DROP TABLE su, su_out CASCADE;
