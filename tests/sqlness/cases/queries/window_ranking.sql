CREATE TABLE wr (g text, x int);

INSERT INTO wr VALUES ('a', 1), ('a', 2), ('a', 2), ('a', 5), ('b', 3), ('b', NULL);

SELECT g, x, row_number() OVER w, rank() OVER w, dense_rank() OVER w FROM wr WINDOW w AS (PARTITION BY g ORDER BY x) ORDER BY g, x, 3;

SELECT g, x, percent_rank() OVER w, cume_dist() OVER w, ntile(2) OVER w FROM wr WINDOW w AS (PARTITION BY g ORDER BY x) ORDER BY g, x, 5;

SELECT x, lag(x) OVER w, lead(x, 2, -1) OVER w, lag(x, 0) OVER w FROM wr WHERE g = 'a' WINDOW w AS (ORDER BY x) ORDER BY x, 2 NULLS FIRST;

SELECT x, first_value(x) OVER w, last_value(x) OVER w, nth_value(x, 2) OVER w FROM wr WHERE g = 'a' WINDOW w AS (ORDER BY x) ORDER BY x;

SELECT g, count(*) OVER (PARTITION BY g), sum(x) OVER () FROM wr ORDER BY g;

SELECT ntile(0) OVER () FROM wr;

SELECT nth_value(x, 0) OVER () FROM wr;

SELECT row_number() FROM wr;

SELECT rank() OVER (ORDER BY x) FROM wr WHERE rank() OVER (ORDER BY x) = 1;

SELECT g, rank() OVER (ORDER BY sum(x)) FROM wr GROUP BY g ORDER BY g;

SELECT x FROM wr ORDER BY row_number() OVER (ORDER BY x DESC NULLS LAST) LIMIT 2;

DROP TABLE wr;
