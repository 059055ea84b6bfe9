CREATE TABLE kept (i INT PRIMARY KEY);

CREATE TABLE gone (i INT PRIMARY KEY);

-- Writes to a table that is dropped go with it, the others stay.
BEGIN;

INSERT INTO kept VALUES (1);

INSERT INTO gone VALUES (1);

SAVEPOINT s;

INSERT INTO kept VALUES (2);

DROP TABLE gone;

ROLLBACK TO s;

COMMIT;

SELECT * FROM kept;

-- TRUNCATE takes the rows of the transaction too.
BEGIN;

INSERT INTO kept VALUES (3);

TRUNCATE kept;

SELECT * FROM kept;

INSERT INTO kept VALUES (4);

COMMIT;

SELECT * FROM kept;

DROP TABLE kept;
