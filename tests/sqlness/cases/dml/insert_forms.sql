CREATE TABLE fo (a INT, b TEXT);

INSERT INTO fo DEFAULT VALUES;

INSERT INTO fo (b) VALUES ('only b');

INSERT INTO fo SELECT 1, 'selected' UNION ALL SELECT 2, 'too';

INSERT INTO fo VALUES (1, 'a', 'extra');

INSERT INTO fo (a, b) VALUES (1);

INSERT INTO fo VALUES ('x', 'y');

INSERT INTO fo VALUES (3, 'r') RETURNING a + 1 AS next, b;

SELECT * FROM fo ORDER BY a, b;

DROP TABLE fo;
