SELECT * FROM abs(-1);

SELECT * FROM date_trunc('day', timestamp '2024-01-01 10:00') AS d (day), generate_series(1, 2) AS i;

SELECT * FROM ROWS FROM (abs(-2), generate_series(1, 2)) WITH ORDINALITY;

SELECT x.v FROM (VALUES (1), (-2)) AS t (n), LATERAL abs(t.n) AS x (v);

SELECT * FROM jsonb_array_elements('[1, "x"]') AS j;
