CREATE TABLE plain (a INT, b TEXT);

INSERT INTO plain VALUES (1, 'x'), (1, 'x'), (NULL, NULL);

UPDATE plain SET b = 'y' WHERE a = 1;

SELECT * FROM plain ORDER BY a, b;

DELETE FROM plain WHERE a IS NULL;

SELECT count(*) FROM plain;

DROP TABLE plain;
