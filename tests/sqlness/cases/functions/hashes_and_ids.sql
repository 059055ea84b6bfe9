SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid = 'A0EEBC999C0B4EF8BB6D6BB9BD380A11'::uuid, length(gen_random_uuid()::text), gen_random_uuid() <> gen_random_uuid();

SELECT '{a0eebc99-9c0b4ef8-bb6d6bb9-bd380a11}'::uuid;

SELECT 'nix'::uuid;

SELECT 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid < 'b0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid AS lt, 'a0eebc99-9c0b-4ef8-bb6d-6bb9bd380a11'::uuid::text;

SELECT md5(''), md5('\x00'::bytea), length(md5('x'));

SELECT random() BETWEEN 0 AND 1, random() <> random();

SELECT pg_typeof(random()), pg_typeof(gen_random_uuid());

SELECT current_schema(), current_schemas(false), current_schemas(true);
