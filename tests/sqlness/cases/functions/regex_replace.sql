SELECT regexp_replace('foobarbaz', 'b..', 'X'), regexp_replace('foobarbaz', 'b..', 'X', 'g'), regexp_replace('foobarbaz', 'b(..)', 'X\1Y', 'g'), regexp_replace('Abc', 'a', 'x', 'i');

SELECT regexp_replace('foobarbaz', 'b..', 'X', 1, 2), regexp_replace('aaa', 'a', 'b', 2), regexp_replace('aaa', 'a', '[\&]', 1, 0);

SELECT regexp_match('foobarbequebaz', 'bar.*que'), regexp_match('foobarbequebaz', '(bar)(beque)'), regexp_match('abc', 'x'), regexp_match('aBc', 'b', 'i');

SELECT regexp_matches('foobarbequebazilbarfbonk', '(b[^b]+)(b[^b]+)', 'g');

SELECT regexp_split_to_array('hello world  x', '\s+'), regexp_split_to_array('abc', ''), regexp_split_to_table('a1b2c', '[0-9]');

SELECT regexp_count('ABCABCAXYaxy', 'A.'), regexp_count('ABCABCAXYaxy', 'A.', 1, 'i'), regexp_instr('ABCABCAXYaxy', 'c(.)(..)', 1, 1, 0, 'i', 2), regexp_like('Hello World', 'world$', 'i'), regexp_substr('ABCABCAXYaxy', 'c(.)(..)', 1, 1, 'i', 2);

SELECT substring('foobar' FROM 'o(.)b'), substring('foobar' FROM 'o.b'), substring('Thomas' SIMILAR '%#"o_a#"_' ESCAPE '#');

SELECT 'abc' ~ '(';

SELECT regexp_replace('a', 'a', 'b', 'z');

SELECT 'a1' ~ '^[[:alpha:]][[:digit:]]$', 'a b' ~ 'a\sb', 'abab' ~ '^(ab)\1$', 'foo' ~ '\mfoo\M', 'xfoo' ~ '\mfoo';
