CREATE TABLE c (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host)) WITH (compaction.type = 'leveled');

CREATE TABLE c (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host)) WITH (compaction.twcs.trigger_file_num = '1');

CREATE TABLE c (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host)) WITH (compaction.twcs.time_window = 'soon');

CREATE TABLE c (host TEXT, ts TIMESTAMP TIME INDEX, v INT, PRIMARY KEY (host)) WITH (compaction.type = 'twcs', compaction.twcs.time_window = '1d', compaction.twcs.trigger_file_num = '100', compaction.twcs.max_output_file_size = '64MB');

INSERT INTO c VALUES ('a', '2024-01-01 10:00:00', 1), ('b', '2024-01-02 10:00:00', 2), ('a', '2024-01-03 10:00:00', 3);

ADMIN flush_table('c');

INSERT INTO c VALUES ('a', '2024-01-01 10:00:00', 10);

DELETE FROM c WHERE host = 'b';

ADMIN flush_table('c');

ADMIN compact_table('c');

SELECT host, v FROM c ORDER BY ts;

ADMIN compact_table('c', 'strict_window');

SELECT host, v FROM c ORDER BY ts;

ADMIN compact_table('c', 'loose');

ADMIN compact_table();

-- SQLNESS ARG restart=true
SELECT host, v FROM c ORDER BY ts;

DROP TABLE c;
