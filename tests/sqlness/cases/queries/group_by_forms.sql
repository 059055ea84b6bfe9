CREATE TABLE gb (a int, b text, c numeric);

INSERT INTO gb VALUES (1, 'x', 1.5), (1, 'y', 2.5), (2, 'x', NULL), (NULL, 'x', 4);

SELECT a, count(*), sum(c) FROM gb GROUP BY a ORDER BY a;

SELECT a + 1 AS k, count(*) FROM gb GROUP BY a + 1 ORDER BY k;

SELECT b, max(a) FROM gb GROUP BY 1 ORDER BY 1;

SELECT b AS k, sum(a) FROM gb GROUP BY k ORDER BY k;

SELECT a, b FROM gb GROUP BY a;

SELECT count(*) FROM gb GROUP BY ();

SELECT count(*), sum(a), avg(c), min(b) FROM gb WHERE false;

SELECT a, count(*) FROM gb WHERE false GROUP BY a;

SELECT a FROM gb GROUP BY a HAVING count(*) > 1;

SELECT count(*) FROM gb HAVING count(*) > 10;

SELECT sum(count(*)) FROM gb;

SELECT a FROM gb WHERE count(*) > 1;

SELECT b, count(*) FROM gb GROUP BY ALL b ORDER BY b;

SELECT DISTINCT b FROM gb ORDER BY b;

SELECT DISTINCT b FROM gb ORDER BY a;

SELECT count(DISTINCT b), count(DISTINCT a), count(b), count(*) FROM gb;

DROP TABLE gb;
