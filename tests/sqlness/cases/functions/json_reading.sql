SELECT '{"a":{"b":[1,2]}}'::json -> 'a', '{"a":1}'::json ->> 'a', '[1,2]'::json -> 1, '[1,2]'::jsonb ->> -1, '{"a":{"b":[1,2]}}'::jsonb #> '{a,b,1}', '{"a":{"b":"x"}}'::jsonb #>> '{a,b}', '{"a":1}'::jsonb -> 'z';

SELECT '{"a":1,"b":2}'::jsonb @> '{"a":1}', '{"a":1}'::jsonb <@ '{"a":1,"b":2}', '{"a":1}'::jsonb ? 'a', '{"a":1}'::jsonb ?| ARRAY['x', 'a'], '{"a":1}'::jsonb ?& ARRAY['x', 'a'], '[1,2]'::jsonb @> '1';

SELECT json_typeof('1'), json_typeof('"a"'), json_typeof('null'), json_typeof('[]'), jsonb_typeof('{}'), jsonb_typeof('true'), json_array_length('[1,2]'), jsonb_array_length('[]');

SELECT * FROM json_each('{"a":1,"b":"x"}');

SELECT * FROM jsonb_each_text('{"a":1,"b":null}');

SELECT jsonb_object_keys('{"b":1,"a":2}'), json_array_elements_text('["x","y"]');

SELECT jsonb_extract_path('{"a":{"b":3}}', 'a', 'b'), json_extract_path_text('{"a":"x"}', 'a');

SELECT '{"a":1'::json;

SELECT json_array_length('{}');

SELECT '1'::jsonb::int, '"x"'::jsonb::text, 'true'::jsonb::bool, '1.5'::jsonb::numeric;

SELECT '"x"'::jsonb::int;

SELECT '{"b":1,"a":1,"a":2}'::jsonb, '{"b":1, "a":1}'::json, '[1, 2.50]'::jsonb, '{"a":1}'::jsonb = '{"a":1.0}'::jsonb AS eq;
