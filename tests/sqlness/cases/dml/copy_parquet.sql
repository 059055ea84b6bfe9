-- Rows as Parquet files and back; the end of a name says so, or the format.
CREATE TABLE p (host TEXT PRIMARY KEY, ts TIMESTAMP TIME INDEX, load FLOAT8, n NUMERIC(8, 2), free NUMERIC, day DATE, ok BOOLEAN,
                raw BYTEA, doc JSONB, tags TEXT[], z TIMESTAMPTZ, t TIME, u UUID, i INTERVAL, ns TIMESTAMP(9));

INSERT INTO p VALUES
  ('a', '2024-01-01 00:00:01', 1.5, 12.34, 1e20, '2024-02-29', true, '\x00ff', '{"a": [1, null]}', '{x,"y,z",NULL}',
   '2024-01-01 00:00:00+02', '12:34:56.5', 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11', '1 month 2 days 3 seconds', '2024-01-01 00:00:00.123456789'),
  ('b', '2024-01-01 00:00:02', 'NaN', -0.01, NULL, '1900-01-01', false, '', 'null', '{}', NULL, NULL, NULL, NULL, NULL),
  ('c', '2024-01-01 00:00:03', NULL, NULL, 'NaN', NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL);

COPY p TO 'copy_parquet/p.parquet';

CREATE TABLE q (LIKE p INCLUDING ALL);

COPY q FROM 'copy_parquet/p.parquet';

(SELECT * FROM p EXCEPT SELECT * FROM q) UNION ALL (SELECT * FROM q EXCEPT SELECT * FROM p);

SELECT count(*) FROM q;

-- Pages in other compressions.
COPY p TO 'copy_parquet/s.parquet' WITH (compression = 'snappy');

COPY p (host, ts, load) TO 'copy_parquet/g' (format parquet, compression gzip);

COPY p TO 'copy_parquet/x.parquet' (compression xz);

-- Columns go by name: what the file lacks gets its default, what the table lacks is left out, other types are converted.
CREATE TABLE r (load TEXT, host TEXT PRIMARY KEY, ts TIMESTAMP(3) TIME INDEX, extra INT DEFAULT 7);

COPY r FROM 'copy_parquet/s.parquet';

SELECT host, ts, load, extra FROM r ORDER BY host;

COPY r (host, ts, extra) FROM 'copy_parquet/s.parquet';

CREATE TABLE other (x INT PRIMARY KEY);

COPY other FROM 'copy_parquet/s.parquet';

-- Times, conditions and limits.
COPY p TO 'copy_parquet/two.parquet' WITH (start_time = '2024-01-01 00:00:02');

DELETE FROM r;

COPY r FROM 'copy_parquet/p.parquet' WITH (start_time = '2024-01-01 00:00:01', end_time = '2024-01-01 00:00:03') WHERE host <> 'a';

COPY r FROM 'copy_parquet/p.parquet' LIMIT 2;

SELECT host FROM r ORDER BY host;

COPY r FROM 'copy_parquet/p.parquet' LIMIT 0;

COPY other FROM 'copy_parquet/p.parquet' WITH (start_time = '2024-01-01');

COPY (SELECT * FROM p) TO 'copy_parquet/p.parquet' WITH (start_time = '2024-01-01');

-- All files of a folder, or those whose names match.
DELETE FROM r;

COPY p TO 'copy_parquet/many/one.parquet' WITH (end_time = '2024-01-01 00:00:02');

COPY p TO 'copy_parquet/many/two.csv.xz' WITH (start_time = '2024-01-01 00:00:02', format = csv, compression = xz);

COPY q (host, ts, load) FROM 'copy_parquet/many/' WITH (pattern = 'o.*');

COPY r FROM 'copy_parquet/many/' WITH (pattern = '.*\.parquet') LIMIT 5;

SELECT host FROM r;

COPY r FROM 'copy_parquet/none/';

COPY r FROM 'copy_parquet/many/' WITH (pattern = 'x');

COPY r FROM 'copy_parquet/many/' WITH (pattern = '(');

-- What is no Parquet file.
COPY p TO 'copy_parquet/text.txt';

COPY r FROM 'copy_parquet/text.txt' (format parquet);

COPY (SELECT 1 AS a, 2 AS a) TO 'copy_parquet/twice.parquet';

COPY (SELECT 'Infinity'::numeric(8, 2)) TO 'copy_parquet/infinite.parquet';

COPY (SELECT x AS nan FROM (VALUES ('NaN'::numeric(8, 2))) AS v (x)) TO 'copy_parquet/nan.parquet';

DROP TABLE p, q, r, other;

-- Databases go as Parquet unless another form is said; a schema of the name comes first.
CREATE DATABASE pq;

USE pq;

CREATE TABLE a (x INT, ts TIMESTAMP TIME INDEX);

CREATE TABLE plain (id INT PRIMARY KEY);

INSERT INTO a VALUES (1, 1), (2, 2);

INSERT INTO plain VALUES (1);

COPY DATABASE pq TO 'copy_pq' WITH (start_time = '1970-01-01 00:00:00.000002');

DELETE FROM a;

DELETE FROM plain;

COPY DATABASE public FROM 'copy_pq';

SELECT x FROM a;

SELECT id FROM plain;

USE public;

DROP DATABASE pq;
