CREATE TABLE series (host TEXT, v DOUBLE, ts TIMESTAMP TIME INDEX, PRIMARY KEY (host));

INSERT INTO series VALUES ('a', 1, 1), ('a', 3, 2), ('a', NULL, 3), ('a', 2, 4), ('a', 12, 5), ('b', 5, 1), ('b', 5, 2), ('b', 5, 3);

-- By hand: of 1 and 3 the mean is 2, the deviation 1; of 1, 2, 3 the median is 2, the distances 1, 0, 1; of 1, 2, 3, 12 the
-- quartiles are 1.75 and 5.25, so that the upper fence is 5.25 + 1.5 * 3.5 = 10.5.
SELECT host, v, round((anomaly_score_zscore(v) OVER w)::numeric, 4) AS z, round((anomaly_score_mad(v) OVER w)::numeric, 4) AS mad,
       round((anomaly_score_iqr(v, 1.5) OVER w)::numeric, 4) AS iqr
FROM series WINDOW w AS (PARTITION BY host ORDER BY ts) ORDER BY host, ts;

-- The last value is beyond a frame that has values of one kind only.
SELECT v, anomaly_score_mad(v) OVER (ORDER BY v ROWS BETWEEN 3 PRECEDING AND CURRENT ROW) AS mad
FROM (VALUES (5.0), (5.0), (5.0), (6.0)) AS t (v);

SELECT anomaly_score_iqr(v, -1) OVER (PARTITION BY host) FROM series;

SELECT anomaly_score_zscore(v) FROM series;

DROP TABLE series;
