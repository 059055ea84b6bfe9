CREATE TABLE cpu (host TEXT, load DOUBLE, note TEXT, ts TIMESTAMP TIME INDEX, PRIMARY KEY (host));

INSERT INTO cpu VALUES ('a', 1.5, NULL, '2024-01-01 00:00:00'), ('b', 2.5, 'tab	and, "quotes"', '2024-01-01 00:00:01'),
  ('c', NULL, E'two\nlines \\ é', '2024-01-01 00:00:02');

-- Relative names lie in the folder for COPY; the ends of a name say what is in the file.
COPY cpu TO 'copy_files/cpu.txt';

COPY cpu TO 'copy_files/cpu.csv' WITH (header);

COPY cpu TO 'copy_files/cpu.csv.gz';

COPY cpu TO 'copy_files/cpu.jsonl.zst';

COPY cpu TO 'copy_files/cpu' WITH (format = arrow, compression = gzip);

COPY (SELECT host, ts FROM cpu WHERE host <> 'b') TO 'copy_files/some.json';

CREATE TABLE back (LIKE cpu);

COPY back FROM 'copy_files/cpu.txt';

SELECT (SELECT count(*) FROM back) AS n, count(*) AS equal FROM back b JOIN cpu c USING (host, ts)
WHERE b.load IS NOT DISTINCT FROM c.load AND b.note IS NOT DISTINCT FROM c.note;

DELETE FROM back;

COPY back FROM 'copy_files/cpu.csv' (header);

SELECT (SELECT count(*) FROM back) AS n, count(*) AS equal FROM back b JOIN cpu c USING (host, ts)
WHERE b.load IS NOT DISTINCT FROM c.load AND b.note IS NOT DISTINCT FROM c.note;

DELETE FROM back;

COPY back FROM 'copy_files/cpu.csv.gz';

SELECT (SELECT count(*) FROM back) AS n, count(*) AS equal FROM back b JOIN cpu c USING (host, ts)
WHERE b.load IS NOT DISTINCT FROM c.load AND b.note IS NOT DISTINCT FROM c.note;

DELETE FROM back;

COPY back FROM 'copy_files/cpu.jsonl.zst';

SELECT (SELECT count(*) FROM back) AS n, count(*) AS equal FROM back b JOIN cpu c USING (host, ts)
WHERE b.load IS NOT DISTINCT FROM c.load AND b.note IS NOT DISTINCT FROM c.note;

DELETE FROM back;

COPY back FROM 'copy_files/cpu' (format arrow, compression gzip);

SELECT (SELECT count(*) FROM back) AS n, count(*) AS equal FROM back b JOIN cpu c USING (host, ts)
WHERE b.load IS NOT DISTINCT FROM c.load AND b.note IS NOT DISTINCT FROM c.note;

DELETE FROM back;

-- JSON goes by names: what a file has not is NULL.
COPY back FROM 'copy_files/some.json';

SELECT host, load, note, ts FROM back ORDER BY host;

DELETE FROM back;

-- Only rows that are wanted.
COPY back FROM 'copy_files/cpu.txt' WHERE load > 2;

SELECT host FROM back;

DELETE FROM back;

-- A statement is done whole or not at all.
COPY (SELECT 'd' AS host, 1 AS load, NULL AS note, '2024-01-01' AS ts UNION ALL SELECT 'e', 1, NULL, 'never') TO 'copy_files/bad.txt';

COPY back FROM 'copy_files/bad.txt';

SELECT count(*) AS n FROM back;

COPY (SELECT 1 / (3 - number) FROM numbers) TO 'copy_files/cpu.txt';

COPY back FROM 'copy_files/cpu.txt';

SELECT count(*) AS n FROM back;

-- What is refused.
COPY back FROM 'copy_files/missing.txt';

COPY back FROM '../secret.txt';

COPY back FROM '/etc/passwd';

COPY cpu TO 'copy_files/../../cpu.txt';

COPY back FROM 'copy_files';

COPY cpu TO 'copy_files/cpu.lz4' (compression lz4);

COPY cpu TO 'copy_files/cpu.txt' (compression snappy);

COPY cpu TO 'copy_files/cpu.json' (header);

DROP TABLE cpu, back;

-- A whole database: a file for each table.
CREATE DATABASE sites;

USE sites;

CREATE TABLE a (x INT, ts TIMESTAMP TIME INDEX);

CREATE TABLE b (y TEXT, ts TIMESTAMP TIME INDEX);

INSERT INTO a VALUES (1, 1), (2, 2);

INSERT INTO b VALUES ('one', 1);

COPY DATABASE sites TO 'copy_sites' WITH (format = 'json', compression = 'zstd');

DELETE FROM a;

DROP TABLE b;

COPY DATABASE sites FROM 'copy_sites' WITH (format = 'json', compression = 'zstd');

SELECT x FROM a ORDER BY x;

COPY DATABASE sites FROM 'copy_sites' WITH (format = 'csv');

COPY DATABASE nowhere TO 'copy_sites';

USE public;

DROP DATABASE sites;
