SELECT '1'::int + '2'::int, '1' + 2, 1 || '', 1::text || 2::text, '5'::text::int;

SELECT 1::int2::int4::int8::numeric::float8::text, '2024-01-01'::text::date, 'true'::text::bool;

SELECT 1 = '1', 1.0 = 1, 1::float8 = 1::numeric, 'a' = 'a'::varchar, 1 < 1.5;

SELECT 1 = 'x';

SELECT 1 = '1'::text;

SELECT 'a' + 1;

SELECT date '2024-01-01' = '2024-01-01'::text;

SELECT 5::bool::text, true::int::text, 3.7::int2;

SELECT ARRAY[1, 2]::text[], ARRAY['1', '2']::int[], '{1,2}'::int[]::float8[], ARRAY[1.5, 2.5]::int[];

SELECT CAST(NULL AS int) + 1, NULL::text || 'a', coalesce(NULL::int, 5);

SELECT '1'::json::text, '{"a":1}'::json::jsonb, 5::int::oid, 'pg_class'::regclass::oid > 0;

SELECT int '5', float8 '1.5', numeric(4, 1) '2.25', bool 't', date '2024-01-01';

SELECT 1::date;

SELECT true::float8;

SELECT ARRAY[1]::int;

SELECT 1::nix;
