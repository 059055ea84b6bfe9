CREATE TABLE pgx (id INT PRIMARY KEY, name VARCHAR(20) NOT NULL);

SELECT relname, relkind FROM pg_class WHERE relname LIKE 'pgx%' ORDER BY relname;

SELECT attname, format_type(atttypid, atttypmod), attnotnull FROM pg_attribute WHERE attrelid = 'pgx'::regclass AND attnum > 0 ORDER BY attnum;

SELECT conname, contype FROM pg_constraint WHERE conrelid = 'pgx'::regclass;

SELECT 'nosuch'::regclass;

DROP TABLE pgx;
