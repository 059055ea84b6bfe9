CREATE TEMP TABLE tmp_a (x int);

INSERT INTO tmp_a VALUES (1), (2);

SELECT sum(x) FROM tmp_a;

CREATE TEMP TABLE tmp_b AS SELECT x * 2 AS y FROM tmp_a;

SELECT * FROM tmp_b ORDER BY y;

CREATE TABLE tmp_shadow (a int);

CREATE TEMP TABLE tmp_shadow (b text);

SELECT * FROM tmp_shadow;

SELECT * FROM public.tmp_shadow;

DROP TABLE tmp_shadow;

SELECT * FROM tmp_shadow;

SELECT relpersistence FROM pg_class WHERE relname = 'tmp_a';

DROP TABLE public.tmp_shadow;

BEGIN;

CREATE TEMP TABLE tmp_c (x int) ON COMMIT DELETE ROWS;

INSERT INTO tmp_c VALUES (1);

COMMIT;

SELECT count(*) FROM tmp_c;
