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
