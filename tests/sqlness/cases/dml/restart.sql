CREATE TABLE r (id INT PRIMARY KEY, v TEXT);

INSERT INTO r VALUES (1, 'before'), (2, 'flushed');

ADMIN FLUSH_TABLE('r');

UPDATE r SET v = 'after' WHERE id = 1;

-- SQLNESS ARG restart=true
SELECT * FROM r ORDER BY id;

DROP TABLE r;
