SET TIME ZONE 'Europe/Vienna';

SELECT '2024-07-01 12:00+00'::timestamptz;

SELECT TIMESTAMP '2024-07-01 12:00' AT TIME ZONE 'UTC';

SELECT date_trunc('day', '2024-07-01 23:30+00'::timestamptz);

SHOW TIME ZONE;

RESET TIME ZONE;

SELECT '2024-07-01 12:00+02'::timestamptz;

SET TIME ZONE 'Nowhere/Land';
