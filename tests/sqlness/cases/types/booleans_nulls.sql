SELECT true AND NULL, false AND NULL, true OR NULL, NOT NULL::bool;

SELECT NULL = NULL, NULL IS NULL, 1 IS DISTINCT FROM NULL;

SELECT coalesce(NULL, 2, 3), nullif(1, 1), nullif(1, 2);

SELECT CASE WHEN NULL THEN 1 ELSE 2 END, greatest(1, NULL, 3), least(2, 1);
