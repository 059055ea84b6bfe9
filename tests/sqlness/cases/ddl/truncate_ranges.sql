-- files go region by region: only those whose times all lie in a range
CREATE TABLE tr (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host)) PARTITION ON COLUMNS (host) (host < 'h', host >= 'h' AND host < 'p', host >= 'p');

INSERT INTO tr VALUES ('a', '2024-01-01', 1), ('h', '2024-01-01', 2), ('h', '2024-01-03', 3), ('q', '2024-01-03', 4);

ADMIN flush_table('tr');

INSERT INTO tr VALUES ('q', '2024-01-01', 5);

SELECT region_number, sst_num, memtable_rows FROM information_schema.region_statistics WHERE table_name = 'tr' ORDER BY 1;

TRUNCATE TABLE tr FILE RANGE ('2024-01-01', '2024-01-02');

SELECT host, v FROM tr ORDER BY v;

TRUNCATE TABLE tr FILE RANGE ('2024-01-01', '2024-01-02'), ('2024-01-03', '2024-01-04');

SELECT host, v FROM tr ORDER BY v;

TRUNCATE TABLE tr FILE RANGE ('2024-01-01', '2024-01-04');

SELECT host, v FROM tr ORDER BY v;

SELECT region_number, sst_num, memtable_rows FROM information_schema.region_statistics WHERE table_name = 'tr' ORDER BY 1;

-- SQLNESS ARG restart=true
SELECT host, v FROM tr ORDER BY v;

DROP TABLE tr;
