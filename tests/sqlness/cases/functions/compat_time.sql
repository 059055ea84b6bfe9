SET timezone = 'UTC';

-- A date stays a date; months are counted first, and end with the month.
SELECT date_add(DATE '2024-01-31', INTERVAL '1 month') AS d, date_sub(DATE '2024-03-01', '1 day') AS leap,
       date_add(TIMESTAMP '2024-01-01 10:00:00.5', '36 hours') AS ts, date_sub(TIMESTAMPTZ '2024-01-01 00:00:00Z', INTERVAL '1 second') AS tz;

SELECT date_format(TIMESTAMP '2024-02-03 04:05:06.789', '%Y-%m-%d %H:%M:%S%.3f') AS usual,
       date_format(TIMESTAMP '2024-02-03 14:05:06.789', '%a %e %b %y, %I:%M %p, day %j, 100%%') AS words,
       date_format(DATE '2024-02-03', '%F %T') AS of_date;

SELECT date_format(TIMESTAMP '2024-02-03 04:05:06', '%Q');

SELECT to_unixtime(TIMESTAMP '1970-01-02 00:00:00') AS ts, to_unixtime('1970-01-01T01:00:00+01:00') AS text,
       to_unixtime(DATE '1970-01-03') AS d, to_unixtime(7) AS n, to_unixtime(TIMESTAMP '1969-12-31 23:59:59.5') AS below;

SELECT to_unixtime('yesterday evening');
