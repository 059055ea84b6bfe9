SELECT x;

SELECT nix(1);

SELECT * FROM nix.x;

SELECT length(1);

SELECT upper('a', 'b');

SELECT sum('a'::text);

SELECT now(1, 2);

SELECT 1 <=> 2;

SELECT 'a' - 'b';

SELECT -'a'::text;

SELECT ~ 1.5;

SELECT 'x' COLLATE nix;

SELECT 'nix'::regclass;

SELECT 'nix'::regtype;

SET nix = 1;

SHOW nix;

SELECT current_setting('nix');

SELECT current_setting('nix', true);
