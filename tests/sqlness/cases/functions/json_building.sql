SELECT to_json('a"b'::text), to_jsonb(1.50), to_json(ARRAY[1, NULL]), to_json(timestamp '2024-01-01 12:00:00'), to_jsonb(true), to_json(NULL::int);

SELECT json_build_array(1, 'a', NULL, true), json_build_object('a', 1, 'b', ARRAY[1, 2]), jsonb_build_object('z', 1, 'a', 2), json_object('{a,1,b,2}'), json_object('{a,b}', '{1,2}'), jsonb_build_array();

SELECT json_build_object('a');

SELECT json_build_object(NULL, 1);

SELECT row_to_json(ROW(1, 'x')), row_to_json(t) FROM (VALUES (1, 'a')) t(id, name);

SELECT json_agg(x ORDER BY x), jsonb_agg(x), json_object_agg(x, x * 2), jsonb_object_agg('k' || x, x) FROM (VALUES (1), (2)) v(x);

SELECT array_to_json(ARRAY[[1, 2], [3, 4]]), json_strip_nulls('{"a":null,"b":[null]}'), jsonb_pretty('{"a":[1,2]}');

SELECT jsonb_set('{"a":1}', '{b}', '2'), jsonb_set('{"a":[1,2]}', '{a,0}', '9'), jsonb_insert('{"a":[1,2]}', '{a,1}', '5'), jsonb_set('{"a":1}', '{b}', '2', false);

SELECT '{"a":1}'::jsonb || '{"b":2}' AS c, '{"a":1,"b":2}'::jsonb - 'a' AS d, '[1,2,3]'::jsonb - 1 AS e, '{"a":{"b":1}}'::jsonb #- '{a,b}' AS f, '{"a":1,"b":2}'::jsonb - ARRAY['a', 'b'] AS g;
