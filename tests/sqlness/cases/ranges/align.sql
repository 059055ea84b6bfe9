CREATE TABLE ra (ts TIMESTAMP(3) TIME INDEX, v INT);

INSERT INTO ra VALUES ('2024-01-01 22:30', 1), ('2024-01-01 23:30', 2), ('2024-01-02 22:30', 3), ('2024-01-02 23:30', 4);

-- Days from the epoch on.
SELECT ts, min(v) RANGE '1d' FROM ra ALIGN '1d' ORDER BY ts;

-- Days that begin at 23:00: by an instant in a zone, by an interval since the epoch, by a number of milliseconds.
SELECT ts, min(v) RANGE '1d' FROM ra ALIGN '1d' TO '1900-01-01 00:00:00+01:00' ORDER BY ts;

SELECT ts, min(v) RANGE '1d' FROM ra ALIGN '1d' TO (INTERVAL '1 day' - INTERVAL '25 hours') ORDER BY ts;

SELECT ts, min(v) RANGE '1d' FROM ra ALIGN '1d' TO 82800000 ORDER BY ts;

SELECT ts, min(v) RANGE '1d' FROM ra ALIGN '1d' TO (DATE '2030-01-01' + TIME '23:00') ORDER BY ts;

-- NOW is an align point like any other: whatever it is, every row is in one window of its length.
SELECT sum(c) FROM (SELECT count(*) RANGE '7h' AS c FROM ra ALIGN '7h' TO NOW) q;

-- Intervals may be computed.
SELECT ts, count(*) RANGE (INTERVAL '2' day - INTERVAL '1' day) FROM ra ALIGN ('12 hours'::interval * 2) ORDER BY ts;

PREPARE p (interval) AS SELECT ts, count(*) RANGE $1 FROM ra ALIGN $1 ORDER BY ts;

EXECUTE p ('2 days');

EXECUTE p ('25 hours');

DEALLOCATE p;

DROP TABLE ra;

-- Calendar days of the session's zone: Berlin's clocks went forward on 31 March 2024.
SET TIME ZONE 'Europe/Berlin';

CREATE TABLE rz (ts TIMESTAMPTZ TIME INDEX, v INT);

INSERT INTO rz SELECT g, 1 FROM generate_series(timestamptz '2024-03-30 00:00', '2024-04-01 23:00', '1 hour') g;

SELECT ts, count(*) RANGE '1d' FROM rz ALIGN '1d' TO CALENDAR ORDER BY ts;

-- Weeks begin on Mondays.
SELECT ts, count(*) RANGE '1w' FROM rz ALIGN '1w' TO CALENDAR ORDER BY ts;

-- Without CALENDAR a day is 24 hours from the epoch on, midnight in Greenwich.
SELECT ts, count(*) RANGE '1d' FROM rz ALIGN '1d' ORDER BY ts;

RESET TIME ZONE;

DROP TABLE rz;

-- Six and nine digits.
CREATE TABLE r6 (ts TIMESTAMP(6) TIME INDEX, v INT);

INSERT INTO r6 VALUES ('2024-01-01 00:00:00.000001', 1), ('2024-01-01 00:00:00.000003', 2), ('infinity', 3);

SELECT ts, count(*) RANGE '3us' FROM r6 ALIGN '2us' ORDER BY ts;

DROP TABLE r6;

CREATE TABLE r9 (ts TIMESTAMP(9) TIME INDEX, v INT);

INSERT INTO r9 VALUES ('2024-01-01 00:00:00.000000001', 1), ('2024-01-01 00:00:00.000001001', 2);

SELECT ts, count(*) RANGE '2us' FROM r9 ALIGN '1us' ORDER BY ts;

DROP TABLE r9;
