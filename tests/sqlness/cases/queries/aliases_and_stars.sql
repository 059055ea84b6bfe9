CREATE TABLE al (a int, "B" int, "c d" int, "select" int);

INSERT INTO al VALUES (1, 2, 3, 4);

SELECT a, "B", "c d", "select" FROM al;

SELECT al.*, a AS z FROM al;

SELECT x.* FROM al AS x (p, q);

SELECT B FROM al;

SELECT A, al.a, public.al.a FROM al;

SELECT a value, a AS "Mixed Case", a year FROM al;

SELECT a from_ FROM al;

SELECT a FROM al WHERE z = 1;

SELECT a AS z FROM al WHERE z = 1;

SELECT nix.a FROM al;

SELECT * FROM nix;

SELECT al FROM al;

SELECT count(al) FROM al;

SELECT;

SELECT FROM al;

SELECT 1 AS a, 2 AS a;

SELECT *, * FROM (VALUES (1)) t(x);

SELECT *;

DROP TABLE al;
