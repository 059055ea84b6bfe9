CREATE TABLE af (g int, x int, t text);

INSERT INTO af VALUES (1, 3, 'c'), (1, 1, 'a'), (2, 2, 'b'), (2, NULL, NULL), (1, 1, 'z');

SELECT sum(x) FILTER (WHERE g = 1) AS f, count(*) FILTER (WHERE x IS NULL) AS n FROM af;

SELECT string_agg(t, ',' ORDER BY t DESC), array_agg(x ORDER BY x NULLS FIRST), string_agg(DISTINCT t, '' ORDER BY t) FROM af;

SELECT sum(DISTINCT x), avg(DISTINCT x), count(DISTINCT g) FROM af;

SELECT g, bool_and(x > 0), bool_or(x > 2), every(x IS NOT NULL) FROM af GROUP BY g ORDER BY g;

SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY x), percentile_disc(0.5) WITHIN GROUP (ORDER BY x), mode() WITHIN GROUP (ORDER BY x), percentile_cont(ARRAY[0, 1]) WITHIN GROUP (ORDER BY x) FROM af;

SELECT rank(2) WITHIN GROUP (ORDER BY x), dense_rank(2) WITHIN GROUP (ORDER BY x), percent_rank(2) WITHIN GROUP (ORDER BY x), cume_dist(2) WITHIN GROUP (ORDER BY x) FROM af;

SELECT var_pop(x), var_samp(x), stddev_pop(x), stddev(x) FROM af;

SELECT corr(x, g), covar_pop(x, g), regr_slope(x, g), regr_intercept(x, g), regr_count(x, g), regr_r2(x, g) FROM af;

SELECT string_agg(DISTINCT t, ',' ORDER BY x) FROM af;

SELECT percentile_cont(2) WITHIN GROUP (ORDER BY x) FROM af;

SELECT max(t), min(t), max(x), min(ARRAY[x]) FROM af WHERE x IS NOT NULL;

SELECT array_agg(ARRAY[x, g] ORDER BY x) FROM af WHERE g = 1;

SELECT sum(x) OVER () FROM af WHERE sum(x) > 1;

DROP TABLE af;
