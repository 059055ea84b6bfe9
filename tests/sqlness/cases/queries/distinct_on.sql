SELECT DISTINCT ON (k) k, v FROM (VALUES ('a', 1), ('a', 2), ('b', 3)) AS t(k, v) ORDER BY k, v DESC;

SELECT DISTINCT k FROM (VALUES ('a', 1), ('a', 2), ('b', 3)) AS t(k, v) ORDER BY k;
