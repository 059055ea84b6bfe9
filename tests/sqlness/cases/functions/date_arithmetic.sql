SELECT date '2024-01-31' + 1 AS d, date '2024-03-01' - 1 AS e, date '2024-03-01' - date '2024-02-01' AS n, date '2024-01-31' + interval '1 month' AS m, date '2024-01-31' + time '12:00' AS t;

SELECT timestamp '2024-01-31' + interval '1 month', timestamp '2024-03-31' - interval '1 month', timestamp '2024-02-29' + interval '1 year', timestamp '2024-02-29' - timestamp '2024-01-01 12:00';

SELECT age(timestamp '2024-03-01', timestamp '2023-01-31'), age(timestamp '2024-01-31', timestamp '2024-03-01'), age(timestamp '2024-02-29', timestamp '2024-02-29');

SELECT time '23:00' + interval '2 hours', time '01:00' - interval '2 hours', time '12:00' - time '10:30';

SELECT interval '1 month 2 days' * 1.5 AS m, interval '1 day' / 3 AS d, interval '90 minutes' + interval '1 hour' AS s, - interval '1 day 2 hours' AS n, 2 * interval '3 days' AS t;

SELECT justify_days(interval '35 days'), justify_hours(interval '27 hours'), justify_interval(interval '1 month -1 hour');

SELECT (date '2024-01-01', date '2024-02-01') OVERLAPS (date '2024-01-15', interval '1 month'), (time '10:00', time '11:00') OVERLAPS (time '11:00', time '12:00');

SELECT date '2024-01-01' + NULL AS n, date 'infinity' - 1 AS i, timestamp '-infinity' + interval '1 day' AS j;

SELECT date '5874897-12-31' + 1;

SELECT isfinite(date 'infinity'), isfinite(timestamp '2024-01-01'), isfinite(interval '1 day');
