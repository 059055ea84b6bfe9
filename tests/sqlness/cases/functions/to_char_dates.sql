SELECT to_char(timestamp '2024-02-29 13:05:09.123456', 'YYYY-MM-DD HH24:MI:SS.US'), to_char(timestamp '2024-02-29 13:05:09.123456', 'Day, DD Month YYYY HH12:MI AM'), to_char(timestamp '2024-02-29', 'FMDay FMMonth FMDD');

SELECT to_char(timestamp '2024-02-29', 'DDD IDDD J Q WW IW IYYY CC D ID'), to_char(timestamp '2024-02-29 23:59:59', 'SSSS SSSSS'), to_char(date '2024-03-01', 'Mon mon MON RM rm');

SELECT to_char(timestamp '0044-03-15', 'YYYY BC'), to_char(timestamp '2024-02-29', 'Y YY YYY Y,YYY'), to_char(timestamp '2024-02-29 01:02:03', '"text" HH\"x');

SELECT to_char(timestamp '2024-02-01', 'DDth DDTH Dth'), to_char(timestamp '2024-12-30', 'IYYY-IW-ID'), to_char(timestamp '2024-02-29 13:05:09.5', 'MS FF1 FF3 FF6');

SELECT to_char(interval '1 day 02:03:04.5', 'DD HH24:MI:SS.MS'), to_char(interval '26 hours', 'HH24:MI'), to_char(interval '1 year 2 months', 'YYYY-MM'), to_char(interval '-3 hours', 'HH24:MI');

SET TIME ZONE 'Europe/Berlin';

SELECT to_char(timestamptz '2024-07-01 12:00:00+00', 'HH24:MI TZ tz OF TZH:TZM');

RESET TIME ZONE;

SELECT to_char(NULL::timestamp, 'YYYY'), to_char(timestamp 'infinity', 'YYYY');
