-- MODIFY COLUMN casts as CAST does, defaults included; a number that is not zero is true.
CREATE TABLE m (h INT PRIMARY KEY, i FLOAT8 DEFAULT 0.0, j TIMESTAMP TIME INDEX);

INSERT INTO m (h, i, j) VALUES (1, 0.1, 1), (2, 0, 1), (3, NULL, 1);

ALTER TABLE m MODIFY COLUMN i BOOLEAN;

INSERT INTO m (h, j) VALUES (4, 1);

SELECT h, i FROM m ORDER BY h;

ALTER TABLE m MODIFY COLUMN i INTEGER;

INSERT INTO m (h, j) VALUES (5, 1);

SELECT h, i FROM m ORDER BY h;

ALTER TABLE m MODIFY COLUMN i TEXT;

UPDATE m SET i = i || '7';

-- ALTER COLUMN … TYPE is PostgreSQL's: without USING only what can be assigned.
ALTER TABLE m ALTER COLUMN i TYPE INT;

ALTER TABLE m MODIFY COLUMN i INT;

SELECT h, i FROM m ORDER BY h;

-- A value that does not fit is an error, and so is a type without a cast.
ALTER TABLE m ADD COLUMN t TEXT;

UPDATE m SET t = 'x';

ALTER TABLE m MODIFY COLUMN t INT;

ALTER TABLE m MODIFY COLUMN i DATE;

DROP TABLE m;
