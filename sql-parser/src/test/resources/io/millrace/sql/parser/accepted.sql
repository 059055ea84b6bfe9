SELECT
%%
SELECT FROM t
%%
SELECT 1, 2, FROM t
%%
SELECT DISTINCT a FROM t
%%
SELECT DISTINCT ON (a, b) a, b, c FROM t ORDER BY a, b, c DESC
%%
SELECT ALL a FROM t
%%
SELECT * FROM a JOIN b ON a.x = b.x LEFT OUTER JOIN c USING (y, z) NATURAL FULL JOIN d CROSS JOIN e, f
%%
SELECT * FROM a LEFT JOIN b JOIN c ON b.x = c.x ON a.x = b.x
%%
SELECT * FROM (a JOIN b ON true) AS j
%%
SELECT * FROM ((SELECT 1) UNION (SELECT 2)) AS u(x)
%%
SELECT * FROM a, LATERAL (SELECT a.x) AS l, LATERAL generate_series(1, a.x) g
%%
SELECT * FROM ONLY t, ONLY (s), u *
%%
WITH RECURSIVE r(n) AS (VALUES (1) UNION ALL SELECT n + 1 FROM r WHERE n < 10) SELECT * FROM r
%%
WITH a AS MATERIALIZED (SELECT 1), b AS NOT MATERIALIZED (SELECT 2) SELECT * FROM a, b
%%
WITH moved AS (DELETE FROM t WHERE x < 1 RETURNING *) SELECT count(*) FROM moved
%%
WITH w AS (INSERT INTO t VALUES (1) RETURNING a), u AS (UPDATE t SET a = 1 RETURNING a) SELECT * FROM w, u
%%
WITH s AS (SELECT 1 AS x) INSERT INTO t SELECT x FROM s
%%
WITH s AS (SELECT 1 AS x) UPDATE t SET a = s.x FROM s WHERE t.a = s.x RETURNING t.*
%%
WITH s AS (SELECT 1 AS x), r AS (SELECT 2) DELETE FROM t USING s WHERE t.a = s.x RETURNING *
%%
SELECT a FROM t UNION SELECT b FROM u INTERSECT SELECT c FROM v EXCEPT ALL SELECT d FROM w ORDER BY 1 LIMIT 3
%%
(SELECT a FROM t ORDER BY a LIMIT 1) UNION ALL (SELECT b FROM u)
%%
((SELECT 1)) ORDER BY 1
%%
SELECT a, count(*) FROM t GROUP BY GROUPING SETS ((a), (b, c), ()), ROLLUP (d, e), CUBE (f, (g, h)), i
%%
SELECT a FROM t GROUP BY DISTINCT a, b
%%
SELECT GROUPING(a) FROM t GROUP BY ROLLUP (a)
%%
SELECT sum(x) FILTER (WHERE y > 1), percentile_cont(0.5) WITHIN GROUP (ORDER BY z DESC), string_agg(DISTINCT a, ',' ORDER BY a) FROM t
%%
SELECT rank() OVER w, sum(x) OVER (PARTITION BY a ORDER BY b ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW EXCLUDE TIES), avg(x) FILTER (WHERE y) OVER (w RANGE BETWEEN INTERVAL '1 day' PRECEDING AND 1 FOLLOWING), first_value(x) OVER (ORDER BY a GROUPS 1 PRECEDING) FROM t WINDOW w AS (PARTITION BY a ORDER BY b), v AS (w)
%%
SELECT first_value(x) IGNORE NULLS OVER (ORDER BY y) FROM t
%%
VALUES (1, 'a'), (2, 'b') ORDER BY 1 LIMIT 1
%%
TABLE t
%%
TABLE public.t ORDER BY 1
%%
SELECT * FROM t LIMIT $1 OFFSET $2
%%
SELECT * FROM t OFFSET 5 ROWS FETCH NEXT 10 ROWS ONLY
%%
SELECT * FROM t ORDER BY a FETCH FIRST ROW WITH TIES
%%
SELECT * FROM t LIMIT ALL
%%
SELECT * FROM t LIMIT 2 + 3
%%
SELECT * FROM t FOR UPDATE
%%
SELECT * FROM t ORDER BY a LIMIT 1 FOR NO KEY UPDATE OF t SKIP LOCKED FOR SHARE NOWAIT
%%
SELECT * FROM t FOR READ ONLY
%%
SELECT * FROM t TABLESAMPLE BERNOULLI (10) REPEATABLE (42)
%%
SELECT * FROM t AS x TABLESAMPLE system (1.5)
%%
SELECT a::int[], b::numeric(10,2)[][], c::character varying(10), d::timestamp(3) with time zone, e::"char", f::pg_catalog.int4, g::time without time zone, h::bit varying(3), i::interval day to second(3), j::national character(3), k::int[3], l::int array FROM t
%%
SELECT date '2020-01-01', timestamp '2020-01-01', timestamp(3) with time zone '2020-01-01', time '10:00', float8 '1.5', double precision '1', pg_catalog.int4 '7', numeric(3,1) '1', bool 't', interval '1 day', interval '1' year, interval '1-2' year to month, interval(3) '1 s', json '{"a":1}', character varying(3) 'abc'
%%
SELECT CAST(a AS text), CAST($1 AS timestamp without time zone), TREAT(a AS int)
%%
SELECT $1::int + $2, $3
%%
SELECT E'a\tb\x41\u00e9\'', U&'d\0061t\+000061', U&'d!0061t' UESCAPE '!', $$it's$$, $tag$ $$x$$ $tag$, N'n', B'101', X'1F'
%%
SELECT 'a'
'b'
%%
SELECT 0x1F, 1_000, 1., .5, 1e-3, 12345678901234567890
%%
SELECT a ILIKE 'x' ESCAPE '!', a NOT LIKE b, a SIMILAR TO 'x', a NOT SIMILAR TO 'y' ESCAPE '\', a ~ 'x', a ~* 'x', a !~ 'x', a !~* 'x', a ~~ 'x', a LIKE ANY (ARRAY['x']), a NOT ILIKE ALL ($1) FROM t
%%
SELECT a OPERATOR(pg_catalog.~) 'x', a OPERATOR(+) b, OPERATOR(pg_catalog.-) a, a OPERATOR(=) ANY (b) FROM t
%%
SELECT a COLLATE "C", a COLLATE pg_catalog.default = b FROM t
%%
SELECT ts AT TIME ZONE 'UTC' AT TIME ZONE $1, now() AT TIME ZONE 'Europe/Berlin' + interval '1 hour' FROM t
%%
SELECT a IS NULL, a IS NOT NULL, a ISNULL, a NOTNULL, a IS TRUE, a IS NOT FALSE, a IS UNKNOWN, a IS NOT DISTINCT FROM b, a IS NORMALIZED, a IS NOT NFC NORMALIZED FROM t
%%
SELECT a = ANY (SELECT 1), a <> ALL (ARRAY[1]), a < SOME ($1), a ~ ANY (b), a = ANY (('{1}'::int[])) FROM t
%%
SELECT ARRAY[]::int[], ARRAY[1,2], ARRAY[[1,2],[3,4]], ARRAY(SELECT 1), ARRAY[ARRAY[1]]
%%
SELECT a[1], a[1][2], a[1:2], a[:2], a[1:], a[:], (a)[1], (ARRAY[1,2])[1], a[1].b, f(x)[1], $1[1] FROM t
%%
SELECT (x).y, (x).*, (f(x)).n, (t.c).d.e, ((x)).y, t.*, public.t.*, s.t.c FROM t
%%
SELECT ROW(1, 2), (1, 2), ROW(), ROW(t.*), (a, b) = (1, 2), (a, b) IN (SELECT 1, 2), (a, b) IN ((1, 2), (3, 4)), (a, b) OVERLAPS (c, d) FROM t
%%
SELECT f(a => 1, b := 2), f(VARIADIC ARRAY[1]), f(1, VARIADIC $1), f(), f(*), s.f(1), f(ALL x)
%%
SELECT extract(epoch FROM a), extract('year' FROM a), extract(a, b), substring(a FROM 1), substring(a FROM 1 FOR 2), substring(a FOR 2), substring(a SIMILAR 'x' ESCAPE '#'), substring(a, 1, 2), position('a' IN b), position(a, b), trim(a), trim(BOTH FROM a), trim(LEADING 'x' FROM a), trim(TRAILING FROM a), trim(a, 'x'), overlay(a PLACING b FROM 1), overlay(a PLACING b FROM 1 FOR 2), normalize(a), normalize(a, NFD), collation for (a) FROM t
%%
SELECT a -> 'b' ->> 'c', a #> '{x}', a #>> '{x,y}', a @> b, a <@ b, a ? 'k', a ?| b, a ?& b, a @? '$.x', a @@ 'x', a - 'k', a || b FROM t
%%
SELECT a || 'x' || 1 + 2, a % 2, a ^ 2, a & 1, a | 1, a # 1, ~a, a << 1, a >> 1, a != 1, |/ 4, ||/ 8, @ -5, -a, +a, - - a, a*-1, 2^-1 FROM t
%%
SELECT unnest(a), generate_series(1, 3) FROM t
%%
SELECT * FROM unnest(ARRAY[1], ARRAY['a']) WITH ORDINALITY AS u(x, y, n), ROWS FROM (f(1), g(2) AS (a int, b text)) WITH ORDINALITY r
%%
SELECT * FROM json_to_recordset($1) AS t(a int, b text, c numeric(10,2)[])
%%
SELECT * FROM json_to_record('{}') AS (a int)
%%
SELECT * FROM current_date, current_timestamp(3) c, CAST('1' AS int) x
%%
SELECT current_date, current_time, current_time(2), current_timestamp, current_timestamp(6), localtime, localtimestamp(0), current_user, session_user, user, current_role, current_catalog, current_schema, current_schema()
%%
SELECT CASE a WHEN 1 THEN 'x' WHEN 2 THEN 'y' END, CASE WHEN a THEN b ELSE c END FROM t
%%
SELECT COALESCE(a, b), NULLIF(a, b), GREATEST(a, b, c), LEAST(a)
%%
SELECT a BETWEEN 1 AND 2 AND b, a NOT BETWEEN SYMMETRIC 2 AND 1, a BETWEEN ASYMMETRIC 1 AND 2 OR c FROM t
%%
SELECT a IN (1, 2, 3,), a NOT IN (SELECT 1), a IN ((SELECT 1)), a IN ((1)) FROM t
%%
SELECT EXISTS (SELECT 1), NOT EXISTS ((SELECT 1 UNION SELECT 2)), (SELECT 1) + 1, ((SELECT 1) + 2) * 3
%%
SELECT 1 a, 2 value, 3 year_, 4 "Q", 5 AS select, 6 AS "from", t.select, t.from FROM t x
%%
SELECT a value, b name, c key, d type, e data FROM t position
%%
SELECT `Back` FROM `Tick`.`Y`
%%
SELECT Übung, "Ä" FROM straße
%%
SELECT a/* c /* nested */ */+b -- end
%%
SELECT*FROM t WHERE a=-1 AND b=$1 AND c='x'AND d=1
%%
SELECT a INTO TEMP TABLE n FROM t
%%
SELECT 1 WHERE false HAVING true
%%
SELECT last(x ORDER BY ts), left('abc', 2), right('abc', 1), time_bucket('5m', ts), date_bin('1 hour'::interval, ts, '2000-01-01') FROM t
%%
SELECT a FROM t ORDER BY a USING >, b DESC NULLS FIRST, c NULLS LAST, d ASC
%%
SELECT count(*) c FROM t GROUP BY ()
%%
SELECT x FROM t WHERE x > ALL (VALUES (1), (2))
%%
SELECT ts, host, avg(v) RANGE '10s' FILL PREV AS a, max(v) RANGE '5s' - min(v) RANGE '5s' FROM t WHERE v > 0 ALIGN '5s' TO CALENDAR BY (host, lower(dc)) FILL NULL ORDER BY ts
%%
SELECT min(v) RANGE INTERVAL '1 minute' FILL 6.5 FROM t ALIGN '5s' TO '1970-01-01T00:00:00' BY ()
%%
SELECT min(v) RANGE '10s' FILL -1 FROM t ALIGN '5s' TO NOW
%%
SELECT ts, sum(v) RANGE '1h' FROM (SELECT * FROM t) ALIGN INTERVAL '1h' TO now() BY (a)
%%
INSERT INTO t DEFAULT VALUES
%%
INSERT INTO s.t AS x (a, b) OVERRIDING SYSTEM VALUE VALUES (1, DEFAULT), (DEFAULT, 'b') ON CONFLICT (a) WHERE b > 1 DO UPDATE SET b = excluded.b, (c, d) = (1, 2), (e) = ROW(3), (f, g) = (SELECT 1, 2) WHERE x.b <> excluded.b RETURNING a AS x, *
%%
INSERT INTO t SELECT * FROM s ON CONFLICT ON CONSTRAINT c DO NOTHING
%%
INSERT INTO t (SELECT 1)
%%
INSERT INTO t (a) (SELECT 1) UNION SELECT 2
%%
INSERT INTO t (a, b) WITH w AS (SELECT 1) SELECT * FROM w
%%
INSERT INTO t TABLE s
%%
INSERT INTO t VALUES ("a", 1, NULL, now(), 'x'::text,),
%%
REPLACE INTO t (a) VALUES (1)
%%
UPDATE ONLY t AS x SET a = a + 1, b = DEFAULT FROM s JOIN r USING (k) WHERE x.k = s.k RETURNING x.a
%%
UPDATE t SET (a, b) = (1, 2)
%%
UPDATE t AS set SET a = 1
%%
DELETE FROM t
%%
DELETE FROM t x USING a, b WHERE x.a = a.a RETURNING 1
%%
COPY t TO STDOUT
%%
COPY t (a, b) FROM STDIN WITH (FORMAT csv, HEADER true, DELIMITER ',', NULL '', QUOTE '"', FORCE_QUOTE (a, b), FORCE_NOT_NULL *, ENCODING 'UTF8')
%%
COPY (SELECT * FROM t) TO STDOUT CSV HEADER
%%
COPY t FROM STDIN DELIMITER '|' NULL AS 'x' CSV QUOTE AS '"' ESCAPE '\' FORCE NOT NULL a, b
%%
COPY BINARY t TO STDOUT
%%
COPY t FROM '/tmp/x.csv' WITH (FORMAT = 'csv') WHERE a > 1
%%
COPY t TO '/tmp/x.parquet' WITH (FORMAT = 'parquet')
%%
COPY t FROM STDIN WITH BINARY
%%
COPY t (a) TO STDOUT WITH DELIMITER AS ',' CSV FORCE QUOTE *
%%
CREATE TABLE t (a int)
%%
CREATE TABLE IF NOT EXISTS s.t (ts TIMESTAMP(3) NOT NULL TIME INDEX, host STRING NULL DEFAULT 'x' COMMENT 'c' INVERTED INDEX, msg TEXT FULLTEXT INDEX WITH (analyzer = 'English', case_sensitive = 'true') SKIPPING INDEX WITH (granularity = 1024), v DOUBLE DEFAULT 1.5 * 2 NOT NULL, n BIGINT UNSIGNED, PRIMARY KEY (host), CHECK (v > 0)) PARTITION ON COLUMNS (host) (host < 'a', host >= 'a' AND host < 'm', host >= 'm') ENGINE = mito WITH ('ttl' = '7d', append_mode = true, 'compaction.type' = 'twcs', compaction.twcs.time_window = '1h', "k" = 5,)
%%
CREATE TABLE t (ts TIMESTAMP, TIME INDEX (ts), PRIMARY KEY (a, b),)
%%
CREATE TABLE t (id serial PRIMARY KEY, a int REFERENCES b (id) ON DELETE CASCADE ON UPDATE SET NULL, c int CONSTRAINT pos CHECK (c > 0) UNIQUE, d int GENERATED ALWAYS AS IDENTITY (START WITH 5 INCREMENT BY 2), e int GENERATED ALWAYS AS (a * 2) STORED, f int GENERATED BY DEFAULT AS IDENTITY, g text COLLATE "C", CONSTRAINT fk FOREIGN KEY (a, c) REFERENCES x (p, q) MATCH FULL ON DELETE NO ACTION DEFERRABLE INITIALLY DEFERRED, UNIQUE (a, c), LIKE z INCLUDING ALL EXCLUDING DEFAULTS)
%%
CREATE TEMP TABLE t (a int) ON COMMIT DROP
%%
CREATE TEMPORARY TABLE t (time time, timestamp timestamp, date date, interval interval, "user" text, value double precision, key varchar(10), index int)
%%
CREATE UNLOGGED TABLE t (a int DEFAULT nextval('s'::regclass) NOT NULL, b timestamptz DEFAULT now(), c text DEFAULT CURRENT_TIMESTAMP)
%%
CREATE TABLE t AS SELECT 1 AS a
%%
CREATE TABLE t (a, b) AS VALUES (1, 2) WITH NO DATA
%%
CREATE TABLE IF NOT EXISTS t WITH (ttl = '1d') AS (SELECT * FROM s) WITH DATA
%%
CREATE TABLE t LIKE s
%%
CREATE TABLE t (a int) INHERITS (p) WITHOUT OIDS TABLESPACE x
%%
CREATE EXTERNAL TABLE t (a int) WITH (location = '/x', format = 'csv')
%%
DROP TABLE IF EXISTS a, s.b CASCADE
%%
ALTER TABLE t ADD COLUMN IF NOT EXISTS a int NOT NULL DEFAULT 1 FIRST, ADD b text AFTER a, DROP COLUMN IF EXISTS c CASCADE, DROP d
%%
ALTER TABLE IF EXISTS ONLY t RENAME COLUMN a TO b
%%
ALTER TABLE t RENAME a TO b
%%
ALTER TABLE t RENAME TO u
%%
ALTER TABLE t RENAME u
%%
ALTER TABLE t MODIFY COLUMN a BIGINT
%%
ALTER TABLE t MODIFY COLUMN a SET FULLTEXT INDEX WITH (analyzer = 'Chinese')
%%
ALTER TABLE t MODIFY COLUMN a UNSET INVERTED INDEX
%%
ALTER TABLE t ALTER COLUMN a SET DATA TYPE text USING a::text, ALTER b TYPE int, ALTER c SET DEFAULT 5 + 1, ALTER d DROP DEFAULT, ALTER e SET NOT NULL, ALTER f DROP NOT NULL
%%
ALTER TABLE t SET 'ttl' = '1d', 'append_mode' = 'true'
%%
ALTER TABLE t SET (ttl = '1d')
%%
ALTER TABLE t UNSET 'ttl'
%%
ALTER TABLE t RESET (ttl)
%%
ALTER TABLE ONLY public.t ADD CONSTRAINT t_pkey PRIMARY KEY (id)
%%
ALTER TABLE t ADD CONSTRAINT c CHECK (a > 0) NOT VALID, VALIDATE CONSTRAINT c, DROP CONSTRAINT IF EXISTS d
%%
ALTER TABLE t ADD CONSTRAINT u UNIQUE USING INDEX i
%%
ALTER TABLE t OWNER TO postgres
%%
ALTER TABLE t SET SCHEMA s
%%
ALTER TABLE t REPARTITION (a < 1) INTO (a < 0, a >= 0 AND a < 1)
%%
ALTER TABLE t SPLIT PARTITION (a < 1) INTO (a < 0, a >= 0)
%%
ALTER TABLE t MERGE PARTITION (a < 0, a >= 0)
%%
ALTER TABLE t ALTER COLUMN a SET STATISTICS 100, CLUSTER ON i
%%
ALTER TABLE t ALTER COLUMN id ADD GENERATED BY DEFAULT AS IDENTITY (SEQUENCE NAME public.t_id_seq START WITH 1 INCREMENT BY 1 NO MINVALUE NO MAXVALUE CACHE 1)
%%
ALTER TABLE t REPLICA IDENTITY FULL
%%
TRUNCATE t
%%
TRUNCATE TABLE ONLY a, b RESTART IDENTITY CASCADE
%%
TRUNCATE t FILE RANGE (0, 100), (200, 300)
%%
RENAME TABLE a TO b
%%
CREATE OR REPLACE FLOW s.f SINK TO s.k EXPIRE AFTER '1 hour'::INTERVAL EVAL INTERVAL '30 s' COMMENT = 'text' WITH (flow_type = 'batching', min_refresh = '50ms') AS SELECT date_bin('1 minute', ts) w, count(*) FROM t GROUP BY w
%%
CREATE FLOW f SINK TO k EXPIRE AFTER 3600 AS SELECT 1
%%
CREATE FLOW f SINK TO k EXPIRE AFTER '1h' COMMENT 'x' AS SELECT 1
%%
CREATE FLOW f SINK TO k EXPIRE AFTER INTERVAL '1 hour' EVAL INTERVAL '1' MINUTE AS WITH w AS (SELECT 1) SELECT * FROM w UNION ALL SELECT 2
%%
DROP FLOW f
%%
DROP FLOW IF EXISTS s.f
%%
ALTER FLOW f SET (min_refresh = '1s')
%%
ALTER FLOW f SET COMMENT 'x'
%%
ALTER FLOW f RENAME TO g
%%
SHOW FLOWS
%%
SHOW FLOWS FROM s LIKE 'p%'
%%
SHOW CREATE FLOW f
%%
SHOW FLOW STATUS LIKE 'x'
%%
EXPLAIN FLOW s.f
%%
CREATE OR REPLACE VIEW v (a, b) AS SELECT 1, 2 WITH LOCAL CHECK OPTION
%%
CREATE TEMP VIEW v AS TABLE t
%%
DROP VIEW IF EXISTS v, w CASCADE
%%
CREATE MATERIALIZED VIEW IF NOT EXISTS m AS SELECT 1 WITH NO DATA
%%
REFRESH MATERIALIZED VIEW CONCURRENTLY m
%%
DROP MATERIALIZED VIEW m
%%
CREATE SCHEMA IF NOT EXISTS s AUTHORIZATION postgres
%%
CREATE SCHEMA AUTHORIZATION joe
%%
DROP SCHEMA IF EXISTS s CASCADE
%%
CREATE DATABASE IF NOT EXISTS d WITH (ttl = '7d')
%%
CREATE DATABASE d OWNER = x ENCODING 'UTF8' TEMPLATE template0 CONNECTION LIMIT 5
%%
DROP DATABASE IF EXISTS d WITH (FORCE)
%%
ALTER DATABASE d SET timezone TO 'UTC'
%%
ALTER SCHEMA s RENAME TO r
%%
ALTER VIEW v OWNER TO x
%%
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS i ON ONLY s.t USING btree (a DESC NULLS LAST, lower(b) text_pattern_ops, (c + 1) ASC) INCLUDE (d) WITH (fillfactor = 70) WHERE a > 0
%%
CREATE INDEX ON t (a)
%%
DROP INDEX CONCURRENTLY IF EXISTS i
%%
REINDEX TABLE t
%%
CREATE SEQUENCE IF NOT EXISTS s AS bigint START WITH 1 INCREMENT BY -1 NO MINVALUE MAXVALUE 100 CACHE 1 CYCLE OWNED BY t.c
%%
ALTER SEQUENCE s RESTART WITH 5 OWNED BY NONE
%%
DROP SEQUENCE s
%%
CREATE TYPE mood AS ENUM ('sad', 'ok')
%%
ALTER TYPE mood ADD VALUE IF NOT EXISTS 'happy' AFTER 'ok'
%%
CREATE DOMAIN d AS int DEFAULT 1 NOT NULL CONSTRAINT c CHECK (VALUE > 0)
%%
CREATE EXTENSION IF NOT EXISTS "uuid-ossp" WITH SCHEMA public
%%
CREATE ROLE r WITH LOGIN PASSWORD 'x' NOSUPERUSER VALID UNTIL '2030-01-01' IN ROLE a, b CONNECTION LIMIT -1
%%
CREATE USER u PASSWORD 'p'
%%
ALTER USER u WITH PASSWORD 'q'
%%
ALTER ROLE u SET search_path TO x
%%
DROP USER IF EXISTS u
%%
GRANT SELECT, INSERT (a, b) ON TABLE t, s.u TO joe, PUBLIC WITH GRANT OPTION
%%
GRANT ALL PRIVILEGES ON ALL TABLES IN SCHEMA public TO joe
%%
GRANT admin TO joe
%%
REVOKE GRANT OPTION FOR ALL ON SCHEMA s FROM joe CASCADE
%%
COMMENT ON TABLE t IS 'x'
%%
COMMENT ON COLUMN s.t.c IS NULL
%%
COMMENT ON FUNCTION f(int, text) IS 'x'
%%
SET x.y = 1, 'b', true
%%
SET SESSION statement_timeout TO '5s'
%%
SET LOCAL search_path = "$user", public
%%
SET search_path TO DEFAULT
%%
SET DateStyle = ISO, DMY
%%
SET TIME ZONE LOCAL
%%
SET TIME ZONE INTERVAL '-08:00' HOUR TO MINUTE
%%
SET TIME ZONE -7
%%
SET NAMES 'UTF8'
%%
SET ROLE NONE
%%
SET SESSION AUTHORIZATION DEFAULT
%%
SET SESSION CHARACTERISTICS AS TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY
%%
SET TRANSACTION ISOLATION LEVEL SERIALIZABLE READ WRITE DEFERRABLE
%%
SET CONSTRAINTS ALL DEFERRED
%%
SET extra_float_digits = -5
%%
RESET ALL
%%
RESET statement_timeout
%%
SHOW ALL
%%
SHOW TIME ZONE
%%
SHOW TRANSACTION ISOLATION LEVEL
%%
SHOW search_path
%%
SHOW FULL TABLES FROM public LIKE 'a%'
%%
SHOW TABLES WHERE Tables = 'x'
%%
SHOW DATABASES LIKE 'x'
%%
SHOW FULL COLUMNS FROM t IN public
%%
SHOW INDEX FROM t
%%
SHOW REGION FROM t
%%
SHOW CREATE TABLE s.t
%%
SHOW CREATE VIEW v
%%
SHOW VIEWS
%%
SHOW PROCESSLIST
%%
SHOW VARIABLES LIKE 'x%'
%%
DESCRIBE TABLE s.t
%%
EXPLAIN (ANALYZE, VERBOSE false, FORMAT JSON, COSTS off) SELECT 1
%%
EXPLAIN ANALYZE VERBOSE INSERT INTO t VALUES (1)
%%
EXPLAIN (SELECT 1)
%%
EXPLAIN ANALYZE FORMAT JSON SELECT 1
%%
START TRANSACTION ISOLATION LEVEL READ COMMITTED, READ ONLY
%%
BEGIN WORK
%%
END
%%
ABORT
%%
COMMIT AND CHAIN
%%
ROLLBACK WORK AND NO CHAIN
%%
SAVEPOINT a
%%
RELEASE SAVEPOINT a
%%
RELEASE a
%%
ROLLBACK TO a
%%
ROLLBACK TRANSACTION TO SAVEPOINT a
%%
PREPARE p (int, text) AS SELECT $1, $2
%%
PREPARE p AS INSERT INTO t VALUES ($1)
%%
EXECUTE p (1, 'a' || 'b')
%%
EXECUTE p
%%
DEALLOCATE PREPARE p
%%
DEALLOCATE ALL
%%
DECLARE c NO SCROLL CURSOR WITH HOLD FOR SELECT 1
%%
DECLARE c BINARY INSENSITIVE SCROLL CURSOR FOR SELECT * FROM t FOR UPDATE
%%
FETCH c
%%
FETCH 10 FROM c
%%
FETCH ALL IN c
%%
FETCH BACKWARD 5 FROM c
%%
FETCH ABSOLUTE -1 FROM c
%%
FETCH FORWARD ALL FROM c
%%
FETCH PRIOR FROM c
%%
MOVE 5 c
%%
CLOSE c
%%
CLOSE ALL
%%
ADMIN flush_flow('f')
%%
ADMIN FLUSH_TABLE('s.t')
%%
ADMIN kill(1)
%%
ADMIN reload_config()
%%
DISCARD TEMP
%%
USE d
%%
LISTEN ch
%%
NOTIFY ch, 'payload'
%%
UNLISTEN *
%%
LOCK TABLE a, b IN ACCESS SHARE MODE NOWAIT
%%
LOCK t
%%
KILL QUERY 5
%%
KILL '1/2'
%%
VACUUM (FULL, ANALYZE) t, u (a)
%%
VACUUM FULL VERBOSE t
%%
ANALYZE
%%
ANALYZE VERBOSE t (a, b)
%%
CHECKPOINT
%%
CLUSTER t USING i
%%
DO $$ BEGIN NULL; END $$ LANGUAGE plpgsql
%%
CALL f(1, 'x')
%%
ALTER DEFAULT PRIVILEGES IN SCHEMA s GRANT SELECT ON TABLES TO x
%%
SELECT a FROM t WHERE (a, b) > (1, 2) AND NOT a = ANY ($1) ORDER BY (SELECT 1), a -> 'x'
%%
SELECT array_agg(x)[1:2], (array_agg(x ORDER BY y DESC NULLS LAST))[1] FROM t
%%
SELECT 'x' AS "A b", 1 + 1 AS end, 2 AS case
%%
SELECT t.a.b.c FROM t
%%
SELECT n.nspname AS "Schema", c.relname AS "Name", CASE c.relkind WHEN 'r' THEN 'table' END AS "Type" FROM pg_catalog.pg_class c LEFT JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r','p','') AND n.nspname !~ '^pg_toast' AND pg_catalog.pg_table_is_visible(c.oid) ORDER BY 1,2;
%%
SELECT a.attname, pg_catalog.format_type(a.atttypid, a.atttypmod), (SELECT pg_catalog.pg_get_expr(d.adbin, d.adrelid, true) FROM pg_catalog.pg_attrdef d WHERE d.adrelid = a.attrelid AND d.adnum = a.attnum AND a.atthasdef), a.attnotnull FROM pg_catalog.pg_attribute a WHERE a.attrelid = '16384' AND a.attnum > 0 AND NOT a.attisdropped ORDER BY a.attnum
%%
SELECT * FROM a JOIN b USING (x, y) AS u JOIN c USING (z) WHERE u.x = 1
%%
SELECT i.*::text, ROW(i.*::t) FROM i
%%
SELECT TRY_CAST(a AS int), INTERVAL 1 MINUTE, country AS 'Country' FROM t TABLESAMPLE SYSTEM (25 PERCENT)
%%
SELECT ts, min(v) RANGE (INTERVAL '1' DAY) FROM t ALIGN (INTERVAL '1 day') BY (a)
%%
COPY (DELETE FROM t RETURNING *) TO STDOUT
%%
COPY DATABASE public TO '/tmp/all/' WITH (FORMAT = 'csv', compression = gzip)
%%
COPY DATABASE sites FROM 'all'
%%
COPY database FROM STDIN
%%
CALL p(1, c => 2)
%%
CREATE TABLE t (ts timestamp time index, CHECK (false) NO INHERIT NOT VALID) ENGINE = metric WITH ("physical_metric_table" = "")
%%
SELECT sum(a) OVER (ROWS BETWEEN unbounded(1) PRECEDING AND unbounded.x FOLLOWING) FROM t
%%
INSERT INTO t VALUES (1) ON CONFLICT (a COLLATE "C" text_ops, b) DO NOTHING
%%
SELECT max(v) RANGE ((INTERVAL '1' hour)::interval) FROM t ALIGN ((INTERVAL '2' day) - '1 day'::interval) TO (now()) BY (a) FILL 1 HAVING max(v) RANGE '5s' > 1 ORDER BY 1
%%
SELECT sum(a) OVER (ORDER BY f(a) RANGE '1 day' PRECEDING), sum(a) OVER (ORDER BY f(a) RANGE INTERVAL '1' DAY PRECEDING), sum(a) OVER (ORDER BY f(a) RANGE (1 + 1) PRECEDING) FROM t align (a, b)
