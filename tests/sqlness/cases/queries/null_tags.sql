-- A file whose rows have no value of a tag at all: its dictionary is empty.
CREATE TABLE nt (g TEXT, h TEXT, ts TIMESTAMP(3) TIME INDEX, v INT, PRIMARY KEY (g, h));

INSERT INTO nt VALUES (NULL, 'a', 1, 1), (NULL, NULL, 2, 2);

ADMIN flush_table('nt');

SELECT v FROM nt WHERE g IS NULL AND g NOT BETWEEN 'a' AND 'b';

SELECT v FROM nt WHERE (g = 'a') IS NULL ORDER BY v;

SELECT v FROM nt WHERE (g < 'a' OR g >= 'b') IS NULL ORDER BY v;

SELECT v, g IN ('a', 'b') AS in_list, g NOT IN ('a') AS not_in FROM nt ORDER BY v;

SELECT v, g LIKE 'a%' AS l, g NOT ILIKE 'A%' AS i, g ~ 'a' AS r, g SIMILAR TO 'a' AS s FROM nt ORDER BY v;

SELECT v, upper(g) AS u, g || 'x' AS c, coalesce(g, 'none') AS d, length(g) AS n FROM nt ORDER BY v;

SELECT g, count(*), count(g), min(g), max(g), string_agg(g, ',') FROM nt GROUP BY g;

SELECT DISTINCT g FROM nt;

SELECT v, g FROM nt ORDER BY g DESC NULLS LAST, h NULLS FIRST;

SELECT a.v, b.v AS other FROM nt a LEFT JOIN nt b ON a.g = b.g ORDER BY a.v;

SELECT v, lag(g) OVER (ORDER BY v) AS before, rank() OVER (ORDER BY g) AS r FROM nt ORDER BY v;

SELECT g FROM nt UNION SELECT 'x' ORDER BY g;

INSERT INTO nt VALUES ('b', 'a', 1, 3);

SELECT v FROM nt WHERE g = 'b';

SELECT v FROM nt WHERE g IS DISTINCT FROM 'b' ORDER BY v;

SELECT CASE g WHEN 'b' THEN 'is b' ELSE 'is not' END AS c, count(*) FROM nt GROUP BY c ORDER BY c;

DROP TABLE nt;
