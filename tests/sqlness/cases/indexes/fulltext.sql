-- as ordinary functions
SELECT matches('An ERROR occurred', 'error'), matches('errors', 'error'), matches('disk full', '+disk +full -ok'),
  matches(NULL, 'a'), matches('a', NULL);

SELECT matches('apple pie', 'apple AND pie'), matches('pie apple', '"apple pie"'), matches('c', 'a AND b OR c'),
  matches('a', '(a OR b) AND c');

SELECT matches_term('Critical error: x', 'error'), matches_term('Error', 'error'), matches_term('errors', 'error'),
  matches_term('error-prone', 'error'), matches_term('disk is full', 'is full');

SELECT matches('你好世界', '世界'), matches_term('你好世界', '世界');

-- 30,000 rows in key order by time: 'disk failure on node N' in every 5,000th, from 0 on; 'request N ok'
-- else; fx has an index and fy has none
CREATE TABLE fx (ts TIMESTAMP(3) TIME INDEX, msg TEXT FULLTEXT INDEX WITH (analyzer = 'English'));

CREATE TABLE fy (ts TIMESTAMP(3) TIME INDEX, msg TEXT);

INSERT INTO fx SELECT g * INTERVAL '1 second' + TIMESTAMP '2024-01-01',
  CASE WHEN g % 5000 = 0 THEN 'Disk FAILURE on node ' || g / 5000 ELSE 'request ' || g || ' ok' END
FROM generate_series(0, 29999) AS g;

INSERT INTO fy SELECT * FROM fx;

ADMIN flush_table('fx');

ADMIN flush_table('fy');

SELECT msg FROM fx WHERE matches(msg, 'failure') ORDER BY ts;

SELECT msg FROM fy WHERE matches(msg, 'failure') ORDER BY ts;

-- six rows have the word, and no other is read
-- SQLNESS REPLACE (?s).*(rows\sread=\d+\spruned\sby\sfulltext[^\n]*rows=\d+).* $1
EXPLAIN ANALYZE SELECT ts FROM fx WHERE matches(msg, 'failure');

-- SQLNESS REPLACE (?s).*(rows\sread=\d+).* $1
EXPLAIN ANALYZE SELECT ts FROM fy WHERE matches(msg, 'failure');

SELECT msg FROM fx WHERE matches(msg, '+disk +4');

SELECT msg FROM fx WHERE matches(msg, '"node 3"');

SELECT count(*) FROM fx WHERE matches(msg, '-disk');

SELECT count(*) FROM fx WHERE matches(msg, 'disk ok');

SELECT msg FROM fx WHERE matches_term(msg, 'request 777') OR matches_term(msg, 'node 2') ORDER BY msg;

SELECT msg FROM fx WHERE matches_term(msg, 'Disk') AND matches_term(msg, 'node 5');

SELECT count(*) FROM fx WHERE matches_term(msg, 'disk');

-- rows in memory too
INSERT INTO fx VALUES ('2025-01-01', 'late failure');

SELECT count(*) FROM fx WHERE matches(msg, 'failure');

-- an overwritten text is not found by its old words
INSERT INTO fx VALUES ('2024-01-01', 'repaired');

SELECT count(*) FROM fx WHERE matches(msg, 'failure');

ADMIN flush_table('fx');

SELECT count(*) FROM fx WHERE matches(msg, 'failure');

ADMIN compact_table('fx');

SELECT count(*) FROM fx WHERE matches(msg, 'failure');

SELECT index_type, target_key FROM information_schema.ssts_index_meta m
JOIN information_schema.ssts_manifest s USING (file_id) WHERE table_name = 'fx';

-- LIKE by its beginning; the index of values helps
CREATE TABLE fl (ts TIMESTAMP(3) TIME INDEX, p TEXT INVERTED INDEX);

INSERT INTO fl SELECT g * INTERVAL '1 second' + TIMESTAMP '2024-01-01', '/p' || g * 7 % 100 || '/x' FROM generate_series(0, 19999) AS g;

ADMIN flush_table('fl');

SELECT count(*) FROM fl WHERE p LIKE '/p42/%';

-- 200 of the 20,000 rows begin so
-- SQLNESS REPLACE (?s).*(rows\sread=\d+\spruned\sby\sinverted[^\n]*rows=\d+).* $1
EXPLAIN ANALYZE SELECT ts FROM fl WHERE p LIKE '/p42/%';

SELECT count(*) FROM fl WHERE p LIKE '/p4_/x';

SELECT count(*) FROM fl WHERE p LIKE '%2/x';

SELECT count(*) FROM fl WHERE p LIKE NULL;

DROP TABLE fx, fy, fl;
