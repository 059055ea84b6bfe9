SELECT lpad('hi', 5), lpad('hi', 5, 'xy'), rpad('hi', 5, 'xy'), lpad('hello', 2), rpad('hello', 2), lpad('hi', 5, '');

SELECT trim('  x  '), trim(LEADING 'x' FROM 'xxabcxx'), trim(TRAILING FROM 'ab  '), trim(BOTH 'xy' FROM 'yxabcxy'), btrim('xxabxx', 'x'), ltrim('  a '), rtrim(' a  ');

SELECT concat('a', NULL, 1, true, 2.50), concat_ws('-', 'a', NULL, 'b', 3), concat_ws(NULL, 'a', 'b'), concat();

SELECT concat_ws(',', VARIADIC ARRAY['x', 'y', NULL]);

SELECT format('%s %I %L', 'a b', 'c d', 'e''f'), format('%2$s %1$s', 'a', 'b'), format('%%'), format('[%10s][%-10s]', 'a', 'b'), format('%s', NULL), format('%L', NULL);

SELECT format('%s');

SELECT format('%z', 1);

SELECT 'a' || NULL AS n, 'a' || 1 AS i, 1 || 'a' AS j, 'a' || true AS b, 'x' || 2.50 AS d;

SELECT E'tab\there', U&'d\0061t\+000061', 'it''s', $$dollar$$, 'two' ' parts' AS no;

SELECT 'two'
' parts' AS yes;
