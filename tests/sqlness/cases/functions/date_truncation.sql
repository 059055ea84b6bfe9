SELECT date_trunc('hour', timestamp '2024-02-29 13:45:09'), date_trunc('day', timestamp '2024-02-29 13:45:09'), date_trunc('week', timestamp '2024-02-29'), date_trunc('quarter', timestamp '2024-05-29'), date_trunc('decade', timestamp '2024-05-29'), date_trunc('century', timestamp '2024-05-29');

SELECT date_trunc('month', date '2024-02-29') = '2024-02-01' AS d, date_trunc('minute', interval '1 day 02:03:04'), date_trunc('milliseconds', timestamp '2024-01-01 00:00:00.123456'), date_trunc('year', interval '2 years 5 months');

SELECT date_trunc('day', timestamptz '2024-07-01 23:30:00+00', 'Europe/Berlin') AT TIME ZONE 'UTC';

SELECT date_trunc('nix', timestamp '2024-01-01');

SELECT date_bin('15 minutes', timestamp '2024-02-11 15:44:17', timestamp '2001-01-01'), date_bin('1 day', timestamp '2024-02-11 15:44:17', timestamp '2024-01-01 12:00'), date_bin('5 minutes', timestamp '1999-12-31 23:58', timestamp '2000-01-01');

SELECT date_bin('1 month', timestamp '2024-02-11', timestamp '2001-01-01');

SELECT date_bin('0 seconds', timestamp '2024-02-11', timestamp '2001-01-01');

SELECT date_trunc('day', NULL::timestamp), date_trunc('day', timestamp 'infinity');
