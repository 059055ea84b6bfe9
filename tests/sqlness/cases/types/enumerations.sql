CREATE TYPE enum_mood AS ENUM ('sad', 'ok', 'happy');

CREATE TABLE enum_person (name text, m enum_mood DEFAULT 'ok', id int PRIMARY KEY);

INSERT INTO enum_person VALUES ('a', 'happy', 1), ('b', 'sad', 2), ('c', NULL, 3);

INSERT INTO enum_person(name, id) VALUES ('d', 4);

SELECT * FROM enum_person ORDER BY m, id;

SELECT * FROM enum_person ORDER BY m DESC NULLS LAST, id;

SELECT name FROM enum_person WHERE m = 'sad';

SELECT name FROM enum_person WHERE m > 'sad' ORDER BY name;

SELECT name FROM enum_person WHERE m IN ('sad', 'happy') ORDER BY name;

SELECT name FROM enum_person WHERE m <> ALL (ARRAY['sad']::enum_mood[]) ORDER BY 1;

SELECT name FROM enum_person WHERE m BETWEEN 'sad' AND 'ok' ORDER BY 1;

SELECT min(m), max(m), count(DISTINCT m) FROM enum_person;

SELECT m, count(*) FROM enum_person GROUP BY m ORDER BY m NULLS FIRST;

INSERT INTO enum_person VALUES ('x', 'angry', 9);

SELECT 'angry'::enum_mood;

SELECT 'sad'::enum_mood < 'ok'::enum_mood AS lt, 'sad'::enum_mood::text || '!' AS t, ('ok'::text)::enum_mood AS c, m::text FROM enum_person WHERE id = 1;

SELECT enum_first(NULL::enum_mood), enum_last(NULL::enum_mood), enum_range(NULL::enum_mood), enum_range('ok'::enum_mood, NULL), enum_range(NULL, 'ok'::enum_mood), enum_range('ok'::enum_mood,'ok'::enum_mood);

SELECT array_agg(m ORDER BY m) FROM enum_person;

SELECT ARRAY['sad','ok']::enum_mood[] AS a, '{happy,sad}'::enum_mood[] AS b, unnest('{happy,sad}'::enum_mood[]) AS u;

SELECT m = 'sad'::text FROM enum_person;

SELECT m || 'x' FROM enum_person WHERE id = 1;

SELECT coalesce(m, 'sad') FROM enum_person ORDER BY id;

SELECT CASE WHEN id = 1 THEN m ELSE 'sad' END FROM enum_person ORDER BY id;

SELECT enumlabel, enumsortorder FROM pg_enum e JOIN pg_type t ON t.oid = e.enumtypid WHERE typname = 'enum_mood' ORDER BY enumsortorder;

SELECT typname, typtype, typcategory, typlen, typbyval FROM pg_type WHERE typname IN ('enum_mood', '_enum_mood') ORDER BY 1;

ALTER TYPE enum_mood ADD VALUE 'meh' BEFORE 'ok';

ALTER TYPE enum_mood ADD VALUE 'great';

ALTER TYPE enum_mood ADD VALUE 'great';

ALTER TYPE enum_mood ADD VALUE IF NOT EXISTS 'great';

ALTER TYPE enum_mood ADD VALUE 'z' AFTER 'nix';

INSERT INTO enum_person VALUES ('e', 'meh', 5), ('f', 'great', 6);

SELECT name, m FROM enum_person ORDER BY m, id;

ALTER TYPE enum_mood RENAME VALUE 'sad' TO 'blue';

ALTER TYPE enum_mood RENAME VALUE 'nix' TO 'blue';

ALTER TYPE enum_mood RENAME VALUE 'ok' TO 'blue';

SELECT name, m FROM enum_person ORDER BY m, id;

UPDATE enum_person SET m = 'great' WHERE m = 'blue';

SELECT name, m FROM enum_person ORDER BY m, id;

DELETE FROM enum_person WHERE m = 'great';

SELECT count(*) FROM enum_person;

SELECT enum_range(NULL::enum_mood);

CREATE TYPE enum_mood AS ENUM ('a');

CREATE TYPE m3 AS ENUM ();

DROP TYPE enum_mood;

SELECT column_name, data_type, udt_name FROM information_schema.columns WHERE table_name = 'enum_person' ORDER BY 1;

CREATE TABLE enum_key (m enum_mood PRIMARY KEY, v int);

INSERT INTO enum_key VALUES ('happy', 1), ('blue', 2);

INSERT INTO enum_key VALUES ('happy', 3);

INSERT INTO enum_key VALUES ('happy', 3) ON CONFLICT (m) DO UPDATE SET v = excluded.v RETURNING m, v;

SELECT k.m, p.name FROM enum_key k JOIN enum_person p ON p.m = k.m ORDER BY 1, 2;

PREPARE q(enum_mood) AS SELECT v FROM enum_key WHERE m = $1;

EXECUTE q('blue');

EXECUTE q('nix');

ALTER TABLE enum_key ADD COLUMN o enum_mood DEFAULT 'ok';

SELECT * FROM enum_key ORDER BY m;

ALTER TABLE enum_person ALTER COLUMN name TYPE enum_mood USING 'ok'::enum_mood;

SELECT * FROM enum_person ORDER BY id;

ALTER TABLE enum_person ALTER COLUMN name TYPE text;

SELECT * FROM enum_person ORDER BY id;

CREATE VIEW pv AS SELECT m FROM enum_person WHERE m > 'blue';

SELECT * FROM pv ORDER BY m;

DROP VIEW pv;

SELECT first_value(m) OVER (ORDER BY m), lag(m) OVER (ORDER BY m) FROM enum_person ORDER BY m;

SELECT m FROM enum_person UNION SELECT 'blue' ORDER BY 1;

SELECT m FROM enum_person UNION SELECT 'blue'::text;

SELECT length(m) FROM enum_person;

SELECT row_to_json(p) FROM enum_person p WHERE id = 1;

SELECT nullif(m, 'happy') FROM enum_person WHERE id = 1;

SELECT greatest(m, 'ok'), least(m, 'ok') FROM enum_person WHERE id = 1;

DROP TYPE enum_mood CASCADE;

SELECT * FROM enum_person ORDER BY id;

SELECT 'x'::enum_mood;

DROP TYPE enum_mood;

DROP TYPE IF EXISTS enum_mood;

CREATE SCHEMA s;

CREATE TYPE s.t AS ENUM ('x', 'y');

SELECT 'x'::s.t;

SELECT 'x'::t;

ALTER TYPE s.t RENAME TO u;

SELECT 'y'::s.u;

ALTER TYPE s.u SET SCHEMA public;

SELECT 'y'::u, NULL::u;

DEALLOCATE q;

DROP TYPE u, m3;

DROP SCHEMA s;

DROP TABLE enum_person, enum_key;
