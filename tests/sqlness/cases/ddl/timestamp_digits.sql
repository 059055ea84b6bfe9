-- TIMESTAMP without a precision has the digits of the setting, six by default; a precision that is said counts.
CREATE TABLE six (ts TIMESTAMP TIME INDEX, v INT);

SET default_timestamp_precision = 3;

CREATE TABLE three (ts TIMESTAMP TIME INDEX, z TIMESTAMPTZ, exact TIMESTAMP(0));

SET default_timestamp_precision = 9;

CREATE TABLE nine (ts TIMESTAMP TIME INDEX, z TIMESTAMPTZ);

RESET default_timestamp_precision;

SELECT table_name, column_name, datetime_precision FROM information_schema.columns
  WHERE table_name IN ('six', 'three', 'nine') AND data_type LIKE 'timestamp%' ORDER BY table_name, ordinal_position;

-- Integers are in the column's unit.
INSERT INTO six VALUES (1500, 1);

INSERT INTO three VALUES (1500, 1500, 15);

INSERT INTO nine VALUES (1500, 1500);

SELECT ts FROM six;

SELECT ts, z, exact FROM three;

SELECT ts, z FROM nine;

DROP TABLE six, three, nine;
