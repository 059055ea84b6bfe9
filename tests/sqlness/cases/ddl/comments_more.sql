CREATE TABLE cmm (a int, b text);

COMMENT ON TABLE cmm IS 'a table';

COMMENT ON COLUMN cmm.a IS 'a column';

SELECT obj_description('cmm'::regclass), col_description('cmm'::regclass, 1), col_description('cmm'::regclass, 2);

COMMENT ON TABLE cmm IS NULL;

SELECT obj_description('cmm'::regclass);

COMMENT ON TABLE nix IS 'x';

COMMENT ON COLUMN cmm.nix IS 'x';

COMMENT ON COLUMN nix.a IS 'x';

CREATE VIEW cmv AS SELECT 1 AS x;

COMMENT ON VIEW cmv IS 'view';

SELECT obj_description('cmv'::regclass, 'pg_class');

DROP VIEW cmv;

DROP TABLE cmm;
