SELECT 't'::bool, 'yes'::bool, 'on'::bool, '1'::bool, 'TRUE'::bool, ' tru '::bool, 'f'::bool, 'no'::bool, 'of'::bool, '0'::bool;

SELECT 'o'::bool;

SELECT 'maybe'::bool;

SELECT 1::bool, 0::bool, 5::bool, true::int, false::int, true::text;

SELECT 1.5::bool;

SELECT true > false, true = 't', bool_and(x), bool_or(x) FROM (VALUES (true), (false), (NULL)) v(x);

SELECT true AND 'yes', NOT 'no', true + 1;

SELECT x FROM (VALUES (true), (NULL), (false)) v(x) ORDER BY x;

SELECT count(*) FILTER (WHERE x), count(x) FROM (VALUES (true), (NULL), (false)) v(x);

SELECT x IS TRUE, x IS NOT TRUE, x IS FALSE, x IS UNKNOWN FROM (VALUES (true), (NULL), (false)) v(x);

SELECT 'a' AND true;

SELECT 1 AND true;
