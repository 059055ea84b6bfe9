CREATE TABLE tzq (t timestamptz, v int);

SET TIME ZONE 'UTC';

INSERT INTO tzq VALUES ('2024-03-31 00:30:00+00', 1), ('2024-03-31 01:30:00+00', 2), ('2024-10-27 00:30:00+00', 3);

SET TIME ZONE 'Europe/Berlin';

SELECT t, v FROM tzq ORDER BY t;

SELECT t::date, t::time, t AT TIME ZONE 'America/New_York' FROM tzq ORDER BY t;

SELECT date_trunc('day', t) FROM tzq ORDER BY t;

SELECT v FROM tzq WHERE t >= '2024-03-31 03:00' AND t < '2024-04-01' ORDER BY v;

SELECT t + interval '1 day', t + interval '24 hours' FROM tzq WHERE v = 1;

SELECT timestamp '2024-03-31 02:30' AT TIME ZONE 'Europe/Berlin', timestamp '2024-10-27 02:30' AT TIME ZONE 'Europe/Berlin';

SELECT '2024-07-01 12:00'::timestamptz, '2024-07-01 12:00-05'::timestamptz, '2024-07-01 12:00 America/New_York'::timestamptz;

SELECT extract(hour FROM t), extract(timezone_hour FROM t) FROM tzq ORDER BY t;

SET TIME ZONE 'Nowhere/Nix';

RESET TIME ZONE;

DROP TABLE tzq;
