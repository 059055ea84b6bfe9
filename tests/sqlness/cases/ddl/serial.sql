CREATE TABLE s (id SERIAL PRIMARY KEY, small SMALLSERIAL, big BIGSERIAL, v TEXT);

INSERT INTO s (v) VALUES ('a'), ('b') RETURNING id, small, big;

INSERT INTO s (v) SELECT 'c' || g FROM generate_series(1, 3) g;

INSERT INTO s (id, v) VALUES (DEFAULT, 'd'), (100, 'e');

INSERT INTO s (v) VALUES ('f');

SELECT * FROM s ORDER BY id;

SELECT column_name, column_default, is_nullable, data_type FROM information_schema.columns WHERE table_name = 's' ORDER BY ordinal_position;

SELECT pg_get_serial_sequence('s', 'id'), pg_get_serial_sequence('s', 'v');

SELECT currval('s_id_seq');

DROP SEQUENCE s_id_seq;

ALTER SEQUENCE s_id_seq RENAME TO renamed;

SELECT pg_get_serial_sequence('s', 'id');

INSERT INTO s (v) VALUES ('g') RETURNING id;

DROP SEQUENCE renamed CASCADE;

INSERT INTO s (v) VALUES ('h');

CREATE TABLE s2 (id INT DEFAULT nextval('s_big_seq'), t TEXT);

INSERT INTO s2 (t) VALUES ('x') RETURNING id;

DROP TABLE s2;

TRUNCATE s RESTART IDENTITY;

INSERT INTO s (id, v) VALUES (1, 'again') RETURNING big;

DROP TABLE s;

SELECT count(*) FROM pg_sequences;

CREATE TABLE bad (id SERIAL DEFAULT 1);

CREATE TABLE bad (id SERIAL NULL);

CREATE TABLE a (id SERIAL, n INT);

INSERT INTO a (n) VALUES (1), (2);

ALTER TABLE a ADD COLUMN more SERIAL;

SELECT * FROM a ORDER BY id;

ALTER TABLE a DROP COLUMN id;

SELECT sequencename FROM pg_sequences;

DROP TABLE a;
