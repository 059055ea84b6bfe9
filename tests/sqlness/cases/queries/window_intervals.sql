CREATE TABLE wi (t timestamp, v int);

INSERT INTO wi VALUES ('2024-01-01 00:00', 1), ('2024-01-01 00:05', 2), ('2024-01-01 00:10', 4), ('2024-01-01 01:00', 8);

SELECT t, sum(v) OVER (ORDER BY t RANGE BETWEEN interval '10 minutes' PRECEDING AND CURRENT ROW) AS s FROM wi ORDER BY t;

SELECT t, count(*) OVER (ORDER BY t RANGE BETWEEN CURRENT ROW AND interval '1 hour' FOLLOWING) AS c FROM wi ORDER BY t;

SELECT t, sum(v) OVER (ORDER BY t DESC RANGE interval '5 minutes' PRECEDING) AS s FROM wi ORDER BY t;

SELECT t - lag(t) OVER (ORDER BY t) AS gap FROM wi ORDER BY t;

SELECT t, v - lag(v, 1, v) OVER (ORDER BY t) AS d, sum(v) OVER (PARTITION BY date_trunc('hour', t)) AS h FROM wi ORDER BY t;

SELECT sum(v) OVER (ORDER BY t RANGE interval '-1 minute' PRECEDING) FROM wi;

DROP TABLE wi;
