SELECT 91 & 15 AS a, 32 | 3 AS o, 17 # 5 AS x, ~1 AS n, 1 << 4 AS l, 8 >> 2 AS r;

SELECT 1::int8 << 40 AS l, (-1)::int2 >> 1 AS r, ~0::int8 AS n;

SELECT bit_and(x), bit_or(x), bit_xor(x) FROM (VALUES (5), (7), (13)) v(x);

SELECT get_byte('\x1234'::bytea, 1), set_byte('\x1234'::bytea, 0, 255), get_bit('\x01'::bytea, 0), set_bit('\x00'::bytea, 7, 1);

SELECT bit_count('\xff01'::bytea), bit_length('abc'), octet_length('äb');

SELECT get_byte('\x12'::bytea, 1);

SELECT set_bit('\x00'::bytea, 8, 1);

SELECT 1 << 33;
