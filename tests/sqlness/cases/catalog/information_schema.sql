CREATE TABLE isx (ts TIMESTAMP(3) TIME INDEX, host TEXT, v DOUBLE PRECISION, PRIMARY KEY (host));

SELECT table_schema, table_name, table_type FROM information_schema.tables WHERE table_name = 'isx';

SELECT column_name, ordinal_position, is_nullable, data_type FROM information_schema.columns WHERE table_name = 'isx' ORDER BY ordinal_position;

SELECT schema_name FROM information_schema.schemata ORDER BY schema_name;

DROP TABLE isx;
