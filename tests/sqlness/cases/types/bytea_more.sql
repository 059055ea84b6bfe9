SELECT '\xDEADBEEF'::bytea, 'abc'::bytea, '\\x'::bytea, 'a\\b'::bytea, '\001\377'::bytea;

SELECT '\xZZ'::bytea;

SELECT '\x123'::bytea;

SELECT 'a\b'::bytea;

SET bytea_output = 'escape';

SELECT '\x00ff41'::bytea;

RESET bytea_output;

SELECT '\x01'::bytea < '\x0100'::bytea, '\xff'::bytea > '\x01'::bytea;

SELECT length('\x0102'::bytea), octet_length('\x0102'::bytea), reverse('ab'), '\x0102'::bytea || '\x03';

SELECT count(DISTINCT x) FROM (VALUES ('\x01'::bytea), ('\x01'), (NULL)) v(x);

SELECT 'text'::text::bytea, '\x74657874'::bytea::text, convert_from('\x74', 'UTF8');

SELECT convert_from('\xff'::bytea, 'UTF8');

SELECT string_agg(x, '\x00'::bytea ORDER BY x) FROM (VALUES ('\x01'::bytea), ('\x02')) v(x);
