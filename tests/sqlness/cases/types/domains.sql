CREATE DOMAIN dom_posint AS int CHECK (VALUE > 0);

CREATE DOMAIN dom_code AS varchar(3) NOT NULL DEFAULT 'abc' CONSTRAINT dom_code_shape CHECK (VALUE ~ '^[a-z]+$');

SELECT 5::dom_posint, '7'::dom_posint + 1 AS s, CAST(2.6 AS dom_posint);

SELECT (-5)::dom_posint;

SELECT NULL::dom_posint;

SELECT NULL::dom_code;

SELECT 'ABC'::dom_code;

SELECT 'abcdef'::dom_code;

CREATE TABLE dt (id int, p dom_posint, c dom_code, d dom_posint DEFAULT 3);

INSERT INTO dt(id, p) VALUES (1, 1);

INSERT INTO dt VALUES (2, 0, 'x', 1);

INSERT INTO dt VALUES (2, 1, NULL, 1);

INSERT INTO dt VALUES (2, 1, 'A', 1);

INSERT INTO dt VALUES (2, 1, 'long', 1);

INSERT INTO dt VALUES (3, NULL, 'xyz', NULL);

UPDATE dt SET p = -1 WHERE id = 1;

UPDATE dt SET p = p + 1;

SELECT * FROM dt ORDER BY id;

SELECT id FROM dt WHERE p > 1;

SELECT x::dom_posint FROM (VALUES (1), (0)) v(x);

CREATE DOMAIN dom_small AS dom_posint CHECK (VALUE < 10);

SELECT 12::dom_small;

SELECT 0::dom_small;

SELECT typname, typtype, typnotnull, typdefault, format_type(typbasetype, typtypmod) FROM pg_type WHERE typname IN ('dom_posint', 'dom_code') ORDER BY 1;

SELECT column_name, data_type, domain_name FROM information_schema.columns WHERE table_name = 'dt' ORDER BY 1;

CREATE DOMAIN dom_posint AS int;

CREATE DOMAIN bad AS nosuch;

CREATE DOMAIN bad AS int DEFAULT 'x';

CREATE DOMAIN bad AS int CHECK (VALUE + 1);

CREATE DOMAIN bad AS int CHECK (x > 1);

DROP DOMAIN dom_posint;

DROP TYPE dom_code CASCADE;

DROP DOMAIN nosuch;

DROP DOMAIN IF EXISTS nosuch;

SELECT * FROM dt ORDER BY id;

DROP TABLE dt;

DROP DOMAIN dom_small;

DROP DOMAIN dom_posint;
