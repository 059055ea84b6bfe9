SELECT extract(year FROM timestamp '2024-02-29 13:05:09.123456'), extract(quarter FROM date '2024-05-01'), extract(week FROM date '2024-12-30'), extract(isoyear FROM date '2024-12-30'), extract(doy FROM date '2024-12-31');

SELECT extract(dow FROM date '2024-03-03'), extract(isodow FROM date '2024-03-03'), extract(century FROM date '2000-12-31'), extract(decade FROM date '1999-01-01'), extract(millennium FROM date '2001-01-01'), extract(julian FROM date '2024-01-01');

SELECT extract(second FROM time '12:30:45.678'), extract(milliseconds FROM time '12:30:45.678'), extract(microseconds FROM time '12:30:45.678'), extract(hour FROM interval '26 hours'), extract(day FROM interval '40 days 26 hours');

SELECT extract(epoch FROM timestamp '1970-01-02'), extract(epoch FROM interval '1 day 1 hour'), extract(epoch FROM timestamptz '2024-01-01 00:00:00+00'), extract(epoch FROM date '1970-01-10');

SELECT date_part('month', timestamp '2024-02-29'), date_part('epoch', interval '1.5 seconds'), extract(timezone FROM timestamptz '2024-01-01 00:00:00+00'), extract(timezone_hour FROM timestamptz '2024-01-01 00:00:00+00');

SELECT extract(nix FROM timestamp '2024-01-01');

SELECT extract(hour FROM date '2024-01-01');

SELECT extract(year FROM timestamp 'infinity'), extract(hour FROM timestamp 'infinity'), extract(epoch FROM timestamp '-infinity');

SELECT pg_typeof(extract(year FROM date '2024-01-01')), pg_typeof(date_part('year', date '2024-01-01'));
