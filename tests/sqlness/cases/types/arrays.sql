SELECT ARRAY[1, 2, 3], ARRAY['a', NULL, 'b c'], '{1,2}'::int[];

SELECT (ARRAY[10, 20, 30])[2], (ARRAY[10, 20, 30])[5], (ARRAY[10, 20, 30])[1:2];

SELECT 2 = ANY(ARRAY[1, 2]), 5 = ALL(ARRAY[5, 5]), array_length(ARRAY[1, 2, 3], 1);

SELECT unnest(ARRAY['x', 'y']) AS u;

SELECT array_agg(i ORDER BY i DESC) FROM generate_series(1, 3) AS g(i);
