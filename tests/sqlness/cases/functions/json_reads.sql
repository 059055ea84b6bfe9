-- Paths begin with or without $; what is not there, or is of another kind, is NULL.
SELECT json_get_int(parse_json('{"a": {"b": [1, 2.9]}}'), 'a.b[0]') AS one,
       json_get_int(parse_json('{"a": {"b": [1, 2.9]}}'), '$.a.b[1]') AS cut,
       json_get_int(parse_json('{"a": {"b": [1, 2.9]}}'), 'a.c') AS nothing,
       json_get_float(parse_json('{"a": "2.5"}'), 'a') AS text_too;

SELECT json_get_bool('{"a": true, "b": "no"}'::json, 'a') AS yes,
       json_get_bool('{"a": true, "b": "no"}'::json, 'b') AS nothing,
       json_get_string('{"a": [1, "x"]}'::json, 'a') AS items,
       json_get_string('{"a b": "x"}'::json, '$["a b"]') AS quoted,
       json_get_object('{"a": {"b": 1}}'::json, 'a') AS object;

SELECT json_is_object(parse_json('{}')) AS o, json_is_array(parse_json('[]')) AS a, json_is_int(parse_json('2')) AS i,
       json_is_int(parse_json('2.5')) AS not_int, json_is_float(parse_json('2')) AS f, json_is_null(parse_json('null')) AS n,
       json_is_bool(parse_json('false')) AS b, json_is_string(parse_json('"x"')) AS s, json_is_null(NULL::json) AS unknown;

SELECT json_to_string(parse_json('{"b": 1, "a": [true, null, "x"]}'));

SELECT json_path_exists('{"a": [{"b": 1}, {"b": 7}]}'::json, '$.a[*].b') AS there,
       json_path_exists('{"a": 1}'::json, '$.b') AS missing,
       json_path_match('{"a": [{"b": 1}, {"b": 7}]}'::json, '$.a[*].b > 5') AS above,
       json_path_match('{"a": "x"}'::json, '$.a == "x"') AS equal,
       json_path_match('{"a": "x"}'::json, '$.a > 5') AS other_kind;

SELECT parse_json('{"a": 1');

SELECT json_get_int(parse_json('{}'), '$.a[');

SELECT json_path_exists('{}'::json, '');
