SELECT a::double precision, '2024-01-01'::timestamp FROM t
%%
SELECT a::int8, b::text, c::float8, d::timestamptz, e::bytea, f::regclass FROM t
%%
SELECT "Host", Host FROM Tbl
%%
SELECT * FROM t WHERE a = $1 AND b > $2
%%
SELECT * FROM t WHERE a = ?
%%
SELECT INTERVAL '5 minutes'
%%
SELECT INTERVAL '1' DAY
%%
SELECT INTERVAL '1 day 2 hours'
%%
SELECT '5 minutes'::interval
%%
SELECT now() - INTERVAL '1 hour'
%%
SELECT date_bin(INTERVAL '1 minute', ts) FROM t
%%
SELECT date_bin(INTERVAL '1 minute', ts, TIMESTAMP '2020-01-01 00:00:00') FROM t
%%
SELECT date_trunc('hour', ts) FROM t
%%
SELECT * FROM t ORDER BY a DESC NULLS LAST LIMIT 5 OFFSET 2
%%
SELECT DISTINCT ON (host) host, ts, v FROM t ORDER BY host, ts DESC
%%
SELECT * FROM t WHERE a ILIKE 'x%' AND b NOT ILIKE 'y%'
%%
SELECT E'a\nb', U&'\0041'
%%
SELECT $$abc$$
%%
SELECT * FROM t WHERE a = ANY('{1,2}'::int[])
%%
SELECT * FROM t WHERE a = ANY(ARRAY[1,2])
%%
SELECT * FROM t WHERE a = ANY($1)
%%
SELECT a || 'x' FROM t
%%
SELECT a ~ '^x', a !~* 'b' FROM t
%%
SELECT count(*) FILTER (WHERE v > 1) FROM t
%%
SELECT 1 AS value, 2 AS "timestamp", 3 "x"
%%
SELECT host, ts, value, time, date, timestamp FROM t
%%
SELECT user, current_user, current_schema(), version()
%%
SELECT pg_catalog.version(), t.oid::regclass::text FROM pg_catalog.pg_class t
%%
SELECT a[1], (x).y FROM t
%%
SELECT array_agg(x ORDER BY y) FROM t
%%
VALUES (1,'a'),(2,'b')
%%
INSERT INTO t(a,b) VALUES (1,2),(3,4)
%%
INSERT INTO t VALUES (1,2) ON CONFLICT DO NOTHING
%%
INSERT INTO t VALUES (1) RETURNING a
%%
DELETE FROM t WHERE ts < now()
%%
WITH x AS (SELECT 1) SELECT * FROM x
%%
SELECT * FROM t LEFT JOIN LATERAL (SELECT 1) y ON true
%%
SELECT EXTRACT(EPOCH FROM ts) FROM t
%%
SELECT CASE WHEN a THEN 1 ELSE 2 END, COALESCE(a,b), NULLIF(a,b)
%%
SELECT 1::numeric(10,2), 'x'::varchar(5), 1e5, .5, 0x1F
%%
SELECT position('a' in b), substring(a from 1 for 2), trim(both 'x' from a)
%%
SELECT 5 % 3, 2 ^ 3, 7 & 1
%%
SELECT a IS DISTINCT FROM b, a BETWEEN 1 AND 2 FROM t
%%
SELECT c.relname FROM c WHERE c.relname OPERATOR(pg_catalog.~) '^(t)$' COLLATE pg_catalog.default
%%
SHOW server_version
%%
SET extra_float_digits = 3
%%
SET TIME ZONE 'UTC'
%%
SHOW TABLES
%%
BEGIN
%%
BEGIN READ ONLY
%%
COMMIT
%%
ROLLBACK
%%
START TRANSACTION
%%
DISCARD ALL
%%
EXPLAIN SELECT 1
%%
EXPLAIN ANALYZE SELECT 1
%%
EXPLAIN PLAN FOR SELECT 1
%%
CREATE TABLE t (ts TIMESTAMP(3) TIME INDEX, host STRING, v DOUBLE, PRIMARY KEY(host)) WITH (append_mode='true')
%%
CREATE FLOW f SINK TO s EXPIRE AFTER INTERVAL '1' DAY AS SELECT host, max(v) FROM t GROUP BY host
%%
CREATE FLOW IF NOT EXISTS f SINK TO s EXPIRE AFTER '1 day' EVAL INTERVAL '1 minute' COMMENT 'c' AS SELECT 1
%%
DROP FLOW IF EXISTS f
%%
COPY t FROM STDIN
%%
ALTER TABLE t ADD COLUMN x DOUBLE
%%
TRUNCATE TABLE t
%%
DESC TABLE t
%%
DESCRIBE t
%%
SELECT host, avg(v) RANGE '5m' FILL LINEAR FROM t ALIGN '1m' BY (host)
%%
SELECT max(v) OVER (PARTITION BY host ORDER BY ts) FROM t
%%
SELECT 1; 
%%
SELECT /* c */ 1 -- x

%%
SELECT * FROM generate_series(1,10) AS g(i)
%%
SELECT * FROM unnest(ARRAY[1,2]) WITH ORDINALITY
%%
SELECT a AS key, b AS "value", c AS value FROM t
%%
SELECT true, false, NULL::int
%%
SELECT pg_catalog.format_type(a.atttypid, a.atttypmod) FROM pg_attribute a WHERE a.attnum > 0 AND NOT a.attisdropped
%%
SELECT ARRAY(SELECT 1)
%%
SELECT a FROM t GROUP BY 1 HAVING count(*) > 1
%%
SELECT * FROM t FETCH FIRST 1 ROW ONLY
%%
SELECT * FROM (SELECT 1) 
%%
SELECT '2024-01-01 00:00:00'::timestamp AT TIME ZONE 'UTC'
%%
SELECT a IN ($1,$2), NOT EXISTS (SELECT 1)
