SELECT parse_ident('My_db."Foo ""x""" . bar1') AS parts, parse_ident('a.b(c)', false) AS lenient;

SELECT parse_ident('a.b(c)');

SELECT parse_ident('a..b');

SELECT parse_ident('a.');

SELECT parse_ident('"a');

SELECT parse_ident('""');
