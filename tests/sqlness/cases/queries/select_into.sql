CREATE TABLE si_src (a int, b text);

INSERT INTO si_src VALUES (1, 'x'), (2, 'y');

SELECT a, upper(b) AS u INTO si_dst FROM si_src WHERE a > 1;

SELECT * FROM si_dst;

SELECT * INTO TEMP si_tmp FROM si_src;

SELECT count(*) FROM si_tmp;

SELECT a INTO si_dst FROM si_src;

SELECT 1 AS one INTO TABLE si_one;

TABLE si_one;

SELECT a, a INTO si_bad FROM si_src;

WITH w AS (SELECT a FROM si_src) SELECT a INTO si_w FROM w;

SELECT sum(a) FROM si_w;

SELECT * FROM (SELECT 1 INTO x) s;

DROP TABLE si_dst, si_tmp, si_one, si_w;

DROP TABLE si_src;
