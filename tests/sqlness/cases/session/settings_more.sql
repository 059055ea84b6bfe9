SHOW server_version_num;

SET statement_timeout = '5s';

SHOW statement_timeout;

SET statement_timeout = 'x';

SET statement_timeout = -5;

RESET statement_timeout;

SHOW statement_timeout;

SET LOCAL application_name = 'x';

BEGIN;

SET LOCAL application_name = 'inner';

SHOW application_name;

COMMIT;

SET application_name TO DEFAULT;

BEGIN;

SET application_name = 'rolled';

ROLLBACK;

SHOW application_name;

RESET application_name;

SHOW client_encoding;

RESET client_encoding;

SET client_encoding = 'nix';

SET server_version = '1';

SET TIME ZONE 'UTC';

SET TIME ZONE INTERVAL '-03:00' HOUR TO MINUTE;

SELECT timestamptz '2024-01-01 00:00:00+00';

RESET TIME ZONE;

SET DateStyle = 'nix';

SET search_path TO a, "B c", public;

SHOW search_path;

RESET ALL;
