CREATE TABLE eaw (a int, b int);

SELECT a, sum(b) FROM eaw;

SELECT sum(sum(b)) FROM eaw;

SELECT a FROM eaw WHERE sum(b) > 1;

SELECT a FROM eaw GROUP BY sum(b);

SELECT a FROM eaw GROUP BY b;

SELECT a + b FROM eaw GROUP BY a;

SELECT a FROM eaw HAVING a > 1;

SELECT count(DISTINCT *) FROM eaw;

SELECT lower(DISTINCT 'a');

SELECT abs(1) FILTER (WHERE true);

SELECT abs(1) OVER ();

SELECT rank() FROM eaw;

SELECT sum(a) OVER nix FROM eaw;

SELECT sum(a) OVER (PARTITION BY sum(b)) FROM eaw;

SELECT sum(DISTINCT a) OVER () FROM eaw;

SELECT a FROM eaw WHERE row_number() OVER () = 1;

SELECT sum(a ORDER BY b) OVER () FROM eaw;

SELECT percentile_cont(0.5) FROM eaw;

SELECT string_agg(a, ',') FROM eaw;

SELECT max(a, b) FROM eaw;

DROP TABLE eaw;
