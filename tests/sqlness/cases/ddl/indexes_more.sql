CREATE TABLE ixm (a int, b text, c int);

INSERT INTO ixm VALUES (1, 'x', 1), (2, 'y', 2), (2, 'z', NULL);

CREATE INDEX ixm_a ON ixm (a);

CREATE INDEX ON ixm (b DESC NULLS LAST, a);

CREATE INDEX ixm_a ON ixm (b);

CREATE INDEX IF NOT EXISTS ixm_a ON ixm (b);

CREATE UNIQUE INDEX ixm_u ON ixm (a);

CREATE UNIQUE INDEX ixm_c ON ixm (c);

INSERT INTO ixm VALUES (5, 'q', 2);

INSERT INTO ixm VALUES (5, 'q', NULL);

CREATE INDEX ixm_e ON ixm (lower(b));

CREATE INDEX ixm_p ON ixm (a) WHERE c > 1;

CREATE INDEX ON ixm (nix);

CREATE INDEX ON nix (a);

SELECT indexname FROM pg_indexes WHERE tablename = 'ixm' ORDER BY 1;

SELECT * FROM ixm WHERE a = 2 ORDER BY b;

DROP INDEX ixm_a, ixm_e;

DROP INDEX nix;

DROP INDEX IF EXISTS nix;

DROP INDEX ixm_c;

INSERT INTO ixm VALUES (6, 'r', 2);

REINDEX TABLE ixm;

SELECT count(*) FROM ixm;

DROP TABLE ixm;
