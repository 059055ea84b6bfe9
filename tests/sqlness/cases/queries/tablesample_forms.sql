CREATE TABLE ts_t (x int);

INSERT INTO ts_t SELECT generate_series(1, 1000);

SELECT count(*) FROM ts_t TABLESAMPLE bernoulli (100);

SELECT count(*) FROM ts_t TABLESAMPLE system (0);

SELECT count(*) BETWEEN 300 AND 700 AS about FROM ts_t TABLESAMPLE bernoulli (50);

SELECT (SELECT sum(x) FROM ts_t TABLESAMPLE bernoulli (30) REPEATABLE (7)) = (SELECT sum(x) FROM ts_t TABLESAMPLE bernoulli (30) REPEATABLE (7)) AS same;

SELECT count(*) FROM ts_t AS t TABLESAMPLE bernoulli (100) WHERE t.x <= 10;

SELECT count(*) FROM ts_t TABLESAMPLE bernoulli (101);

SELECT count(*) FROM ts_t TABLESAMPLE bernoulli (-1);

SELECT count(*) FROM ts_t TABLESAMPLE bernoulli (NULL);

SELECT count(*) FROM ts_t TABLESAMPLE nix (1);

SELECT count(*) FROM ts_t TABLESAMPLE bernoulli (1, 2);

DROP TABLE ts_t;
