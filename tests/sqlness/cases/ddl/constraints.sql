CREATE TABLE c (id INT PRIMARY KEY, n INT NOT NULL, p INT CHECK (p > 0), u TEXT UNIQUE);

INSERT INTO c VALUES (1, 1, 1, 'a');

INSERT INTO c VALUES (1, 2, 2, 'b');

INSERT INTO c VALUES (2, NULL, 2, 'b');

INSERT INTO c VALUES (2, 2, 0, 'b');

INSERT INTO c VALUES (2, 2, 2, 'a');

INSERT INTO c VALUES (2, 2, NULL, NULL), (3, 3, NULL, NULL);

SELECT * FROM c ORDER BY id;

DROP TABLE c;

CREATE TABLE named (a INT CHECK (a > 0), b INT, CHECK (a < 100), CHECK (a < b), CHECK (1 = 1), CHECK (b > 1 AND b < 9));

SELECT conname FROM pg_constraint WHERE conrelid = 'named'::regclass ORDER BY conname;

ALTER TABLE named ADD CHECK (b <> 5), ADD CHECK (a + b < 1000);

SELECT conname FROM pg_constraint WHERE conrelid = 'named'::regclass ORDER BY conname;

DROP TABLE named;
