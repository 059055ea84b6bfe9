SELECT to_date('05 Dec 2000', 'DD Mon YYYY'), to_date('20240229', 'YYYYMMDD'), to_date('2024-060', 'YYYY-DDD'), to_date('24', 'YY'), to_date('2024-W09-4', 'IYYY-"W"IW-ID');

SELECT to_timestamp('2024-02-29 13:05:09.5', 'YYYY-MM-DD HH24:MI:SS.MS') AT TIME ZONE 'UTC', to_timestamp('12:30 PM', 'HH12:MI AM') IS NOT NULL;

SELECT to_timestamp(0) AT TIME ZONE 'UTC', to_timestamp(1709211909.123456) AT TIME ZONE 'UTC', to_timestamp('Infinity'::float8);

SELECT to_date('2024-13-01', 'YYYY-MM-DD');

SELECT to_date('2023-02-29', 'YYYY-MM-DD');

SELECT to_date('abc', 'YYYY');

SELECT make_date(2024, 2, 29), make_time(8, 15, 23.5), make_timestamp(2024, 2, 29, 8, 15, 23.5), make_interval(years => 1, days => 10, secs => 1.5);

SELECT make_date(2023, 2, 29);

SELECT make_time(25, 0, 0);

SELECT make_date(-44, 3, 15);
