CREATE TABLE reg (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host));

INSERT INTO reg VALUES ('a', '2024-01-01', 1), ('b', '2024-01-02', 2);

SELECT region_number, region_rows, sst_num, sst_size, index_size, memtable_rows, memtable_series, written_bytes_since_open > 0 AS written, memtable_size > 0 AS memory, manifest_size > 0 AS manifest, log_size > 0 AS log, engine, region_role, incarnation, written_sequence, flushed_sequence FROM information_schema.region_statistics WHERE table_name = 'reg';

SELECT count(*) FROM information_schema.ssts_storage s JOIN information_schema.region_statistics t ON t.region_id = s.region_id WHERE t.table_name = 'reg';

ADMIN flush_table('reg');

SELECT region_rows, sst_num, sst_size > 0 AS files, disk_size > sst_size AS more, memtable_rows, memtable_size, log_size, flushed_sequence FROM information_schema.region_statistics WHERE table_name = 'reg';

SELECT m.file_path = s.file_path AS path, m.file_size = s.file_size AS size, s.node_id, s.last_modified_ms > '2024-01-01' AS dated FROM information_schema.ssts_storage s JOIN information_schema.ssts_manifest m ON m.region_id = s.region_id AND s.file_path = m.file_path WHERE m.table_name = 'reg';

ADMIN collect_garbage();

ADMIN collect_garbage('soon');

ADMIN drop_damaged_sst('nothing');

SELECT * FROM reg ORDER BY host;

DROP TABLE reg;

SELECT peer_id, peer_type, version IS NOT NULL AS versioned, start_time > '2024-01-01' AS started, uptime LIKE '%s' AS up FROM information_schema.cluster_info;

SELECT * FROM information_schema.procedure_info;

-- the functions of ADMIN alone in a SELECT
CREATE TABLE sel (a INT);

INSERT INTO sel VALUES (1), (2);

SELECT flush_table('sel');

SELECT Compact_Table('sel', 'regular');

SELECT truncate_unflushed('nothing');

SELECT flush_table('sel') FROM sel;

DROP TABLE sel;
