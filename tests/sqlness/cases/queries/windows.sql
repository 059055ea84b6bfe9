SELECT i, row_number() OVER (ORDER BY i DESC), sum(i) OVER (ORDER BY i) FROM generate_series(1, 4) AS g(i) ORDER BY i;

SELECT k, v, rank() OVER (PARTITION BY k ORDER BY v) FROM (VALUES ('a', 1), ('a', 1), ('a', 2), ('b', 5)) AS t(k, v) ORDER BY k, v;

SELECT v, lag(v) OVER (ORDER BY v), lead(v, 1, 0) OVER (ORDER BY v) FROM (VALUES (1), (2), (3)) AS t(v) ORDER BY v;
