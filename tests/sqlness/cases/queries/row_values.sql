SELECT (1, 2) = (1, 2), (1, 2) < (1, 3), (1, NULL) = (1, 2), (1, NULL) = (2, 2), (2, NULL) > (1, 5), ROW(1, 'a') = ROW(1, 'a');

SELECT (1, 2) IS NULL, (NULL, NULL) IS NULL, (1, NULL) IS NULL, (1, NULL) IS NOT NULL, ROW(NULL) IS NULL;

SELECT (1, 2) IN ((1, 2), (3, 4)), (1, 2) NOT IN ((3, 4)), (1, 2) IN (SELECT 1, 2);

SELECT (1, 2) IS DISTINCT FROM (1, NULL), (1, NULL) IS NOT DISTINCT FROM (1, NULL);

SELECT ROW(1, 'a', NULL), (1, 2.5, true)::text, row(1, row(2, 3));

SELECT (1, 2) = (1, 2, 3);

SELECT (1, 'a') < (1, 2);

SELECT x FROM (VALUES (1, 'b'), (1, 'a'), (0, 'z')) v(a, b), LATERAL (SELECT (a, b) AS x) l ORDER BY x;

SELECT count(DISTINCT (a, b)) FROM (VALUES (1, 1), (1, 1), (1, NULL), (1, NULL)) v(a, b);

SELECT v FROM (VALUES (1, 'x')) v;

SELECT (v).a, (v).* FROM (VALUES (1, 'x')) v(a, b);
