CREATE TABLE g (k TEXT, v INT);

INSERT INTO g VALUES ('a', 1), ('a', 2), ('b', 3), ('b', NULL), ('c', NULL);

SELECT k, count(*), count(v), sum(v), avg(v), min(v), max(v) FROM g GROUP BY k ORDER BY k;

SELECT count(DISTINCT k), sum(v) FILTER (WHERE v > 1) FROM g;

SELECT k, sum(v) FROM g GROUP BY k HAVING sum(v) > 2 ORDER BY k;

SELECT count(*), sum(v) FROM g WHERE false;

SELECT k, v FROM g GROUP BY k;

SELECT string_agg(k, ',' ORDER BY k DESC) FROM (SELECT DISTINCT k FROM g) d;

DROP TABLE g;

SELECT x, count(*) FROM (VALUES (''), ('')) v(x) GROUP BY x;
