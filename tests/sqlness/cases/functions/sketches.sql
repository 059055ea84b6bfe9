-- The states of hll and uddsketch are values: kept in a column, merged, and read later.
CREATE TABLE visits (host TEXT, who TEXT, ms DOUBLE, ts TIMESTAMP TIME INDEX, PRIMARY KEY (host, who));

INSERT INTO visits VALUES
  ('a', 'ann', 1, 1), ('a', 'bob', 2, 2), ('a', 'cid', 3, 3), ('a', 'dan', 100, 4),
  ('b', 'ann', 10, 5), ('b', 'eve', 20, 6), ('b', NULL, 30, 7);

SELECT host, hll_count(hll(who)) AS people FROM visits GROUP BY host ORDER BY host;

-- Merged: ann is one person.
SELECT hll_count(hll_merge(state)) AS people
FROM (SELECT host, hll(who) AS state FROM visits GROUP BY host) AS s;

SELECT hll(who) IS NULL AS nothing FROM visits WHERE host = 'c';

SELECT hll_count('\x01'::bytea);

-- The answer is within the relative error of 1 %: 2 is the second smallest of four values.
SELECT abs(uddsketch_calc(0.5, uddsketch_state(128, 0.01, ms)) - 2) <= 0.02 AS near
FROM visits WHERE host = 'a';

SELECT abs(uddsketch_calc(1, uddsketch_merge(128, 0.01, state)) - 100) <= 1 AS near_max,
       abs(uddsketch_calc(0, uddsketch_merge(128, 0.01, state)) - 1) <= 0.01 AS near_min
FROM (SELECT host, uddsketch_state(128, 0.01, ms) AS state FROM visits GROUP BY host) AS s;

-- States of another error do not fit.
SELECT uddsketch_merge(128, 0.01, state)
FROM (SELECT uddsketch_state(128, CASE host WHEN 'a' THEN 0.01 ELSE 0.02 END, ms) AS state FROM visits GROUP BY host) AS s;

SELECT uddsketch_calc(1.5, uddsketch_state(128, 0.01, ms)) FROM visits;

SELECT uddsketch_state(1, 0.01, ms) FROM visits;

-- Few values are kept as they are, so that quantiles are exact; integers stay integers.
SELECT approx_percentile_cont(ms, 0.5) AS mid, approx_percentile_cont(0.5) WITHIN GROUP (ORDER BY ms) AS same,
       approx_percentile_cont(0.25) WITHIN GROUP (ORDER BY ms DESC) AS down, approx_median(ms) AS median
FROM visits WHERE host = 'b';

SELECT approx_percentile_cont(0.5) WITHIN GROUP (ORDER BY x) AS mid, pg_typeof(approx_percentile_cont(x, 0.5)) AS type
FROM (VALUES (1), (2), (4), (9)) AS v (x);

-- 30 stands for three values: of six in all, the fourth to the sixth.
SELECT approx_percentile_cont_with_weight(w, 0.5) WITHIN GROUP (ORDER BY x) AS mid,
       approx_percentile_cont_with_weight(w, 0) WITHIN GROUP (ORDER BY x) AS least,
       approx_percentile_cont_with_weight(w, 1) WITHIN GROUP (ORDER BY x) AS most
FROM (VALUES (10.0, 1), (20.0, 2), (30.0, 3), (NULL, 9), (99.0, NULL)) AS v (x, w);

SELECT approx_percentile_cont(x, 2) FROM (VALUES (1), (2)) AS v (x);

SELECT approx_percentile_cont_with_weight(x, -1, 0.5) FROM (VALUES (1), (2)) AS v (x);

-- Many values: within a tenth of a percent of the exact answer.
SELECT abs(approx_percentile_cont(x, 0.99) - 99000) < 100 AS near, abs(approx_median(x) - 50000) < 100 AS middle
FROM generate_series(1, 100000) AS g (x);

DROP TABLE visits;
