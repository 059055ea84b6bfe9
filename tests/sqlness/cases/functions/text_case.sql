SELECT initcap('hello WORLD-foo bar_baz 1st');

SELECT length('äöü'), char_length('abc  '), character_length('abc'::char(5)), length('abc'::char(5)), length('');

SELECT reverse('äbc'), repeat('ab', 3), repeat('ab', 0), repeat('ab', -1);

SELECT ascii('a'), ascii('ä'), ascii(''), chr(65), chr(228);

SELECT chr(0);

SELECT chr(-1);

SELECT quote_ident('a b'), quote_ident('ab'), quote_ident('select'), quote_literal('it''s'), quote_literal(E'a\\b'), quote_nullable(NULL), quote_literal(42);

SELECT md5('abc'), encode(sha256('abc'), 'hex');

SELECT to_hex(255), to_hex(-1), to_hex(255::int8);
