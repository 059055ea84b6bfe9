CREATE SEQUENCE sm;

SELECT nextval('sm'), nextval('sm'), currval('sm'), lastval();

SELECT setval('sm', 10), nextval('sm'), setval('sm', 10, false), nextval('sm');

SELECT setval('sm', 0);

CREATE SEQUENCE sm2 START 5 INCREMENT -2 MINVALUE 1 MAXVALUE 5 CYCLE;

SELECT nextval('sm2'), nextval('sm2'), nextval('sm2'), nextval('sm2');

CREATE SEQUENCE sm3 MAXVALUE 1;

SELECT nextval('sm3');

SELECT nextval('sm3');

SELECT currval('nix');

SELECT nextval('nix');

CREATE SEQUENCE sm;

CREATE SEQUENCE IF NOT EXISTS sm;

CREATE SEQUENCE bad INCREMENT 0;

CREATE SEQUENCE bad MINVALUE 5 MAXVALUE 1;

CREATE SEQUENCE bad START 0;

ALTER SEQUENCE sm RESTART WITH 100 INCREMENT BY 10;

SELECT nextval('sm'), nextval('sm');

ALTER SEQUENCE sm RESTART;

SELECT nextval('sm');

ALTER SEQUENCE nix RESTART;

SELECT last_value, is_called FROM sm;

SELECT sequencename, start_value, increment_by, max_value FROM pg_sequences WHERE sequencename LIKE 'sm%' ORDER BY 1;

CREATE TABLE smt (id int DEFAULT nextval('sm'), x int);

INSERT INTO smt (x) VALUES (1) RETURNING id;

DROP SEQUENCE sm;

DROP SEQUENCE nix;

DROP TABLE smt;

DROP SEQUENCE IF EXISTS sm, sm2, sm3, bad;
