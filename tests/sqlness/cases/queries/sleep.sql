SELECT pg_sleep(0.01), pg_sleep(NULL) IS NULL;

SELECT i, pg_sleep(0.01) IS NULL FROM generate_series(1, 2) AS i;

SELECT 1 FROM pg_sleep(0.01);

SELECT 1 WHERE pg_sleep_for('10ms') IS NOT NULL;

SELECT clock_timestamp() - statement_timestamp() > interval '0' FROM pg_sleep(0.01);

SELECT i FROM generate_series(1, 2) AS i WHERE i > 1 AND pg_sleep(0.01) IS NOT NULL;

SET statement_timeout = '50ms';

SELECT pg_sleep(60);

RESET statement_timeout;

SELECT 1;

-- only rows that reach a call sleep
SELECT n, clock_timestamp() - statement_timestamp() >= interval '200 ms' AS slept
  FROM (SELECT count(*) AS n FROM generate_series(1, 3) AS i
         WHERE CASE WHEN i = 2 THEN pg_sleep(0.2) WHEN i > 3 THEN pg_sleep(3600) END IS NOT NULL) AS x;

SELECT count(*) FROM generate_series(1, 3) AS i WHERE i > 0 OR pg_sleep(3600) IS NULL;

VALUES (CASE WHEN random() < 0 THEN pg_sleep(3600) END IS NULL);
