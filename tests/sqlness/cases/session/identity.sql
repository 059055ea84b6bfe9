SELECT current_database() = current_catalog, current_user = session_user, current_user = user;

SELECT pg_backend_pid() > 0, version() LIKE 'PostgreSQL%';

SELECT has_table_privilege('pg_class', 'SELECT'), has_schema_privilege('public', 'USAGE');

SELECT has_table_privilege('nix', 'SELECT');

SELECT current_setting('server_encoding'), current_setting('is_superuser');

SELECT pg_encoding_to_char(6), pg_client_encoding();

SELECT 'pg_catalog.pg_class'::regclass, 'int4'::regtype, 'int4'::regtype::oid, 1259::regclass, 'now'::regproc;

SELECT pg_typeof(1::regclass), to_regclass('nix'), to_regclass('pg_class'), to_regtype('int'), to_regtype('nix');

SELECT pg_table_is_visible('pg_class'::regclass), pg_get_userbyid(10) IS NOT NULL;

SELECT quote_ident(current_schema()), pg_size_pretty(1024::bigint), pg_size_pretty(10485760::bigint), pg_size_bytes('1 MB');

SELECT nullif(pg_column_size(1), 0), obj_description(1259) IS NULL;
