SELECT '\xdeadbeef'::bytea, 'abc'::bytea, length('\x0102'::bytea);

SELECT 'A0EEBC99-9C0B-4EF8-BB6D-6BB9BD380A11'::uuid;

SELECT 'nonsense'::uuid;

SELECT '{"b":1, "a":[1,2]}'::json, '{"b":1, "a":[1,2]}'::jsonb;

SELECT '{"a":{"b":2}}'::jsonb -> 'a' ->> 'b';
