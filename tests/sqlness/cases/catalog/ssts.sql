CREATE TABLE sst (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host));

SELECT count(*) FROM information_schema.ssts_manifest WHERE table_name = 'sst';

INSERT INTO sst VALUES ('a', '2024-01-01', 1), ('b', '2024-01-02', 2);

ADMIN flush_table('sst');

INSERT INTO sst VALUES ('a', '2024-01-03', 3);

DELETE FROM sst WHERE host = 'b';

ADMIN flush_table('sst');

SELECT num_rows, num_row_groups, min_ts, max_ts, min_sequence, sequence, multi_version, tombstones, file_size > 0 AS sized FROM information_schema.ssts_manifest WHERE table_name = 'sst' ORDER BY sequence;

ADMIN compact_table('sst');

SELECT num_rows, min_ts, max_ts, tombstones FROM information_schema.ssts_manifest WHERE table_name = 'sst';

SELECT f.table_name, r.sst_num, p.is_leader, p.status FROM information_schema.ssts_manifest f JOIN information_schema.region_statistics r ON r.region_id = f.region_id JOIN information_schema.region_peers p ON p.region_id = f.region_id WHERE f.table_name = 'sst';

CREATE TABLE keyed (a INT PRIMARY KEY);

INSERT INTO keyed VALUES (1);

ADMIN flush_table('keyed');

SELECT num_rows, min_ts FROM information_schema.ssts_manifest WHERE table_name = 'keyed';

DROP TABLE keyed, sst;
