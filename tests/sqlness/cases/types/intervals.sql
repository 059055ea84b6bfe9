SELECT INTERVAL '1 year 2 months 3 days 04:05:06', INTERVAL '90 minutes', '1h'::interval;

SELECT INTERVAL '1 day' * 2, INTERVAL '1 day' / 2, INTERVAL '1 month' > INTERVAL '29 days';

SELECT justify_days(INTERVAL '35 days'), extract(hour FROM INTERVAL '26:30');

SELECT 'nonsense'::interval;

SELECT interval(1) '1.26 seconds', '1 day 1.26 seconds'::interval(0), interval '1 day 02:03:04.5678' second(2);

SELECT interval '1 year 2 months' year, '1 day 02:03'::interval hour, interval '5' minute, interval '1 2:03' day to minute;

SELECT format_type(1186, 470286337), format_type(1186, 327679), format_type(1186, -1);
