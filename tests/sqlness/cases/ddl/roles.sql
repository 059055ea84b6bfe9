CREATE ROLE readers;

CREATE USER ann WITH CREATEDB CONNECTION LIMIT 5 VALID UNTIL '2030-01-01 00:00:00+00' IN ROLE readers;

CREATE ROLE admins SUPERUSER LOGIN ROLE ann;

SELECT rolname, rolsuper, rolinherit, rolcreaterole, rolcreatedb, rolcanlogin, rolconnlimit, rolvaliduntil FROM pg_roles ORDER BY rolname;

SELECT g.rolname AS role, m.rolname AS member FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid JOIN pg_roles m ON m.oid = a.member ORDER BY 1;

SELECT usename, usesuper, usecreatedb, passwd FROM pg_user WHERE usename <> 'millrace' ORDER BY 1;

SELECT pg_get_userbyid('ann'::regrole::oid), 'readers'::regrole;

CREATE ROLE ann;

CREATE ROLE IF NOT EXISTS ann;

CREATE ROLE pg_mine;

CREATE ROLE r NOSUCH;

CREATE ROLE r LOGIN NOLOGIN;

CREATE ROLE r IN ROLE nobody;

CREATE ROLE r CONNECTION LIMIT -2;

ALTER ROLE ann NOCREATEDB CONNECTION LIMIT -1;

ALTER USER nobody LOGIN;

ALTER ROLE readers RENAME TO lookers;

ALTER ROLE lookers RENAME TO ann;

SELECT g.rolname AS role, m.rolname AS member FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid JOIN pg_roles m ON m.oid = a.member ORDER BY 1;

SELECT rolcreatedb, rolconnlimit FROM pg_roles WHERE rolname = 'ann';

DROP ROLE nobody;

DROP ROLE IF EXISTS nobody;

DROP USER millrace;

DROP ROLE lookers, admins;

SELECT count(*) FROM pg_auth_members;

DROP USER ann;

SELECT rolname, rolsuper, rolcanlogin FROM pg_roles;
