SELECT encode('\x00ff10'::bytea, 'hex'), encode('hello'::bytea, 'base64'), encode('\x00ff61'::bytea, 'escape');

SELECT decode('00ff10', 'hex'), decode('aGVsbG8=', 'base64'), decode('\000\377a', 'escape');

SELECT decode('0', 'hex');

SELECT decode('zz', 'hex');

SELECT encode('a'::bytea, 'nix');

SELECT convert_to('ä', 'UTF8'), convert_from('\xc3a4'::bytea, 'UTF8'), length('\xc3a4'::bytea);

SELECT '\x01'::bytea || '\x02'::bytea AS c, substring('\x010203'::bytea FROM 2 FOR 1), position('\x02'::bytea IN '\x0102'::bytea), overlay('\x010203'::bytea PLACING '\xff'::bytea FROM 2), btrim('\x000100'::bytea, '\x00'::bytea);

SELECT 'a'::bytea < 'b'::bytea AS lt, '\x'::bytea = ''::bytea AS eq, bytea 'ab' LIKE 'a%'::bytea AS lk;

SELECT sha224('a'::bytea), sha384(''::bytea) IS NOT NULL AS s;
