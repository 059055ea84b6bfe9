SELECT ARRAY[1, 2] || 3, 0 || ARRAY[1, 2], ARRAY[1] || ARRAY[2, 3], ARRAY[[1, 2], [3, 4]], array_cat(ARRAY[1], ARRAY[2]), array_append(ARRAY[1], 2), array_prepend(0, ARRAY[1]);

SELECT array_length(ARRAY[1, 2, 3], 1), array_length(ARRAY[[1], [2]], 2), array_length('{}'::int[], 1), cardinality(ARRAY[[1, 2], [3, 4]]), array_ndims(ARRAY[[1]]), array_dims(ARRAY[[1, 2]]), array_lower('[0:1]={1,2}'::int[], 1), array_upper(ARRAY[1, 2], 1);

SELECT (ARRAY[1, 2, 3])[2], (ARRAY[1, 2, 3])[9], (ARRAY[1, 2, 3])[2:3], (ARRAY[[1, 2], [3, 4]])[2][1], (ARRAY[1, 2, 3])[:2], ('{{1,2},{3,4}}'::int[])[1:1];

SELECT array_remove(ARRAY[1, 2, 1], 1), array_replace(ARRAY[1, 2, 1], 1, 9), array_position(ARRAY['a', 'b'], 'b'), array_position(ARRAY[1, 2, 1], 1, 2), array_positions(ARRAY[1, 2, 1], 1), array_fill(7, ARRAY[2, 2]), trim_array(ARRAY[1, 2, 3], 1);

SELECT ARRAY[1, 2] @> ARRAY[2], ARRAY[1] <@ ARRAY[1, 2], ARRAY[1, 2] && ARRAY[2, 3], ARRAY[1, 2] = ARRAY[1, 2], ARRAY[1, 2] < ARRAY[1, 3], ARRAY[1, NULL] = ARRAY[1, NULL];

SELECT 1 = ANY (ARRAY[1, 2]), 1 = ALL (ARRAY[1, 1]), 3 > ANY (ARRAY[5, 2]), 1 = ANY ('{}'::int[]), 1 = ALL ('{}'::int[]), 1 = ANY (NULL::int[]), NULL = ANY (ARRAY[1]);

SELECT unnest(ARRAY[1, 2, NULL]), generate_subscripts(ARRAY['a', 'b', 'c'], 1);

SELECT ARRAY[1, 'x'];

SELECT ARRAY[]::int[], ARRAY[];

SELECT ARRAY[[1, 2], [3]];

SELECT '{1,2'::int[];

SELECT '{a,"b c",NULL,"NULL","q\"x"}'::text[], ARRAY['', 'a,b', '{', NULL]::text[], '{}'::text[], ARRAY[true, false];
