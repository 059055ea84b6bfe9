-- the time index is part of the key, so rows of one key meet in one region
CREATE TABLE lp (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host)) PARTITION ON COLUMNS (ts) (ts < '2024-01-02', ts >= '2024-01-02');

INSERT INTO lp VALUES ('a', '2024-01-01', 1), ('a', '2024-01-03', 2), ('b', '2024-01-01', 3), ('a', '2024-01-03', 4);

-- a series may lie in several regions
SELECT DISTINCT ON (host) host, ts, v FROM lp ORDER BY host, ts DESC;

SELECT host, last_value(v ORDER BY ts) FROM lp GROUP BY host ORDER BY host;

EXPLAIN SELECT * FROM lp WHERE ts >= '2024-01-02';

UPDATE lp SET v = v + 10 WHERE ts = '2024-01-03';

UPDATE lp SET ts = '2024-01-04' WHERE host = 'b';

DELETE FROM lp WHERE ts < '2024-01-02';

INSERT INTO lp VALUES ('b', '2024-01-04', 9) ON CONFLICT DO NOTHING;

INSERT INTO lp VALUES ('b', '2024-01-04', 9) ON CONFLICT (host, ts) DO UPDATE SET v = excluded.v;

SELECT * FROM lp ORDER BY host, ts;

-- without PRIMARY KEY the time index is the key
CREATE TABLE nk (ts TIMESTAMP TIME INDEX, host TEXT, v INT) PARTITION ON COLUMNS (host) (host < 'm', host >= 'm');

CREATE TABLE nk (ts TIMESTAMP TIME INDEX, host TEXT, v INT) PARTITION ON COLUMNS (ts) (ts < '2024-01-02', ts >= '2024-01-02');

INSERT INTO nk VALUES ('2024-01-01', 'a', 1), ('2024-01-03', 'b', 2), ('2024-01-03', 'c', 3);

SELECT * FROM nk ORDER BY ts;

DELETE FROM nk WHERE v = 1;

UPDATE nk SET host = NULL;

SELECT * FROM nk ORDER BY ts;

-- rows without a key go by any column
CREATE TABLE ap (ts TIMESTAMP TIME INDEX, host TEXT, v INT) PARTITION ON COLUMNS (host) (host < 'm', host >= 'm') WITH (append_mode = 'true');

INSERT INTO ap VALUES ('2024-01-01', 'a', 1), ('2024-01-01', 'a', 1), ('2024-01-01', 'z', 3);

SELECT partition_name, table_rows FROM information_schema.partitions WHERE table_name = 'ap' ORDER BY 1;

ALTER TABLE ap SPLIT PARTITION (host < 'm') INTO (host < 'b', host >= 'b' AND host < 'm');

SELECT * FROM ap ORDER BY host, v;

EXPLAIN SELECT * FROM ap WHERE host = 'z';

CREATE TABLE apk (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host)) PARTITION ON COLUMNS (v) (v < 5, v >= 5) WITH (append_mode = 'true');

INSERT INTO apk VALUES ('a', '2024-01-01', 1), ('a', '2024-01-02', 9), ('a', '2024-01-02', 9);

SELECT host, last_value(v ORDER BY ts), count(*) FROM apk GROUP BY host;

-- SQLNESS ARG restart=true
SELECT host, v FROM lp ORDER BY host;

SELECT count(*) FROM ap;

DROP TABLE lp, nk, ap, apk;
