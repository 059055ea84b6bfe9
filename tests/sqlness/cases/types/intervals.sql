SELECT INTERVAL '1 year 2 months 3 days 04:05:06', INTERVAL '90 minutes', '1h'::interval;

SELECT INTERVAL '1 day' * 2, INTERVAL '1 day' / 2, INTERVAL '1 month' > INTERVAL '29 days';

SELECT justify_days(INTERVAL '35 days'), extract(hour FROM INTERVAL '26:30');

SELECT 'nonsense'::interval;
