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
