CREATE TABLE sale (id int PRIMARY KEY, region text, amount int);

INSERT INTO sale VALUES (1, 'n', 10), (2, 's', 20), (3, 'n', 30);

CREATE MATERIALIZED VIEW totals AS SELECT region, sum(amount) AS total, count(*) AS n FROM sale GROUP BY region;

SELECT * FROM totals ORDER BY region;

INSERT INTO sale VALUES (4, 'w', 40);

SELECT * FROM totals ORDER BY region;

REFRESH MATERIALIZED VIEW totals;

SELECT * FROM totals ORDER BY region;

INSERT INTO totals VALUES ('x', 1, 1);

UPDATE totals SET n = 0;

DELETE FROM totals;

SELECT relkind FROM pg_class WHERE relname = 'totals';

SELECT matviewname, ispopulated, hasindexes FROM pg_matviews;

CREATE MATERIALIZED VIEW totals AS SELECT 1;

CREATE MATERIALIZED VIEW IF NOT EXISTS totals AS SELECT 1;

CREATE MATERIALIZED VIEW later (a, b) AS SELECT id, region FROM sale WITH NO DATA;

SELECT * FROM later;

SELECT matviewname, ispopulated FROM pg_matviews ORDER BY 1;

REFRESH MATERIALIZED VIEW later;

SELECT a, b FROM later ORDER BY a;

REFRESH MATERIALIZED VIEW later WITH NO DATA;

SELECT * FROM later;

REFRESH MATERIALIZED VIEW sale;

REFRESH MATERIALIZED VIEW nix;

DROP TABLE totals;

DROP VIEW totals;

DROP MATERIALIZED VIEW sale;

DROP MATERIALIZED VIEW nix;

DROP MATERIALIZED VIEW IF EXISTS nix;

CREATE VIEW over_it AS SELECT * FROM totals;

DROP MATERIALIZED VIEW totals;

SELECT count(*) FROM information_schema.tables WHERE table_name IN ('totals', 'later');

ALTER MATERIALIZED VIEW later RENAME TO sooner;

REFRESH MATERIALIZED VIEW sooner;

SELECT count(*) FROM sooner;

CREATE INDEX ON sooner (a);

BEGIN;

DELETE FROM sale WHERE id = 1;

REFRESH MATERIALIZED VIEW sooner;

SELECT count(*) FROM sooner;

ROLLBACK;

SELECT count(*) FROM sooner;

DROP MATERIALIZED VIEW totals CASCADE;

DROP MATERIALIZED VIEW sooner;

DROP TABLE sale;
