-- The numbers 0 to 99 go by their name, with or without public.
SELECT count(*) AS n, min(number), max(number), sum(number) FROM numbers;

SELECT number FROM public.numbers WHERE number < 3 ORDER BY number;

-- A table of that name comes first.
CREATE TABLE numbers (number INT, ts TIMESTAMP TIME INDEX);

SELECT count(*) AS n FROM numbers;

DROP TABLE numbers;

SELECT count(*) AS n FROM numbers;

-- USE of a schema puts it before the search path, until USE names a database.
USE information_schema;

SELECT table_schema FROM tables WHERE table_name = 'key_column_usage';

SHOW search_path;

USE public;

SELECT count(*) AS n FROM key_column_usage;
