CREATE TABLE ca AS SELECT i AS n, i * i AS square FROM generate_series(1, 3) AS g(i);

SELECT * FROM ca ORDER BY n;

CREATE TABLE cl (LIKE ca);

SELECT count(*) FROM cl;

DROP TABLE ca, cl;
