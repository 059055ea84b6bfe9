SHOW DateStyle;

SET extra_float_digits = 0;

SHOW extra_float_digits;

RESET extra_float_digits;

SHOW nosuch;

SET server_version = '1';

SET statement_timeout = '2s';

SHOW statement_timeout;

SET statement_timeout = 0;

SELECT current_database(), current_schema(), current_user;

SET standard_conforming_strings = off;

SET default_transaction_isolation = 'repeatable read';

SHOW transaction_isolation;

BEGIN;

SET default_transaction_isolation = 'serializable';

SHOW transaction_isolation;

COMMIT;

SELECT current_setting('transaction_isolation');

RESET default_transaction_isolation;

BEGIN ISOLATION LEVEL REPEATABLE READ;

SHOW transaction_isolation;

ROLLBACK;

SHOW transaction_isolation;

SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY;

SHOW transaction_read_only;

SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE;

SELECT pg_typeof('a'), pg_typeof(NULL), pg_typeof('a' || 'b'), pg_typeof(TEXT 'a'), pg_typeof(1);
