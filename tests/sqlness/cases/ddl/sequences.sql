CREATE SEQUENCE q;

SELECT nextval('q'), nextval('q'), currval('q'), lastval();

CREATE SEQUENCE IF NOT EXISTS q;

CREATE SEQUENCE q;

SELECT setval('q', 42), nextval('q');

SELECT setval('q', 50, false), nextval('q');

SELECT last_value, is_called FROM q;

ALTER SEQUENCE q INCREMENT BY 10 MAXVALUE 75;

SELECT nextval('q'), nextval('q');

SELECT nextval('q');

ALTER SEQUENCE q RESTART WITH 7 CYCLE;

SELECT nextval('q');

SELECT setval('q', 100);

CREATE SEQUENCE down AS smallint INCREMENT -1 MINVALUE -3 MAXVALUE 10 START 0 CYCLE;

SELECT nextval('down') FROM generate_series(1, 6);

SELECT schemaname, sequencename, data_type, start_value, min_value, max_value, increment_by, cycle, cache_size, last_value FROM pg_sequences ORDER BY sequencename;

SELECT sequence_name, data_type, numeric_precision, start_value, minimum_value, maximum_value, increment, cycle_option FROM information_schema.sequences ORDER BY 1;

SELECT relname, relkind, relpersistence FROM pg_class WHERE relname IN ('q', 'down') ORDER BY relname;

CREATE SEQUENCE bad INCREMENT 0;

CREATE SEQUENCE bad MINVALUE 5 MAXVALUE 3;

CREATE SEQUENCE bad START 0;

CREATE SEQUENCE bad AS smallint MAXVALUE 40000;

CREATE SEQUENCE bad AS text;

CREATE SEQUENCE bad CACHE 0;

CREATE SEQUENCE bad INCREMENT 1 INCREMENT 2;

ALTER SEQUENCE nope RESTART;

ALTER SEQUENCE IF EXISTS nope RESTART;

ALTER SEQUENCE down RENAME TO up;

SELECT nextval('up');

SELECT nextval('down');

DROP SEQUENCE up, q;

DROP SEQUENCE q;

DROP SEQUENCE IF EXISTS q;
