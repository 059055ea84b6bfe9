CREATE TABLE lt (id int, n int);

INSERT INTO lt VALUES (1, 2), (2, 0), (3, 1);

SELECT id, g FROM lt, LATERAL generate_series(1, n) g ORDER BY 1, 2;

SELECT id, g FROM lt LEFT JOIN LATERAL generate_series(1, n) g ON true ORDER BY 1, 2;

SELECT l.id, s.top FROM lt l, LATERAL (SELECT max(x.n) AS top FROM lt x WHERE x.id <= l.id) s ORDER BY 1;

SELECT l.id, s.id FROM lt l CROSS JOIN LATERAL (SELECT x.id FROM lt x WHERE x.id > l.id ORDER BY x.id LIMIT 1) s ORDER BY 1;

SELECT id, unnest(ARRAY[n, n + 1]) AS u FROM lt ORDER BY 1, 2;

DROP TABLE lt;
