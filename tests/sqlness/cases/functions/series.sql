SELECT * FROM generate_series(1, 3);

SELECT * FROM generate_series(5, 1, -2) AS g(x);

SELECT * FROM generate_series(1, 0);

SELECT * FROM generate_series(1, 2, 0);

SELECT * FROM generate_series(1.0, 2.0, 0.4);

SELECT * FROM generate_series(timestamp '2024-01-30', '2024-02-02', '1 day');

SELECT * FROM generate_series(timestamp '2024-01-31', '2024-04-30', '1 month');

SELECT g, row_number() OVER () FROM generate_series(10, 12) g;

SELECT * FROM generate_series(1, 2) WITH ORDINALITY AS t(v, n);

SELECT * FROM ROWS FROM (generate_series(1, 2), generate_series(10, 12)) AS t(a, b);

SELECT generate_series(1, 2), generate_series(1, 3);

SELECT * FROM unnest(ARRAY[1, 2], ARRAY['a', 'b', 'c']) AS t(n, s);

SELECT * FROM string_to_table('a,b,,c', ',', '');

SELECT count(*), sum(g) FROM generate_series(1, 1000000) g;

SELECT * FROM generate_series(NULL, 3);
