CREATE TABLE p (a INT PRIMARY KEY, b INT UNIQUE, c TEXT);

CREATE TABLE f (x INT REFERENCES p, y INT REFERENCES p (b) ON DELETE CASCADE ON UPDATE SET NULL);

SELECT conname, confdeltype, confupdtype, pg_get_constraintdef(oid) FROM pg_constraint WHERE conrelid = 'f'::regclass ORDER BY conname;

SELECT constraint_name, unique_constraint_name, update_rule, delete_rule FROM information_schema.referential_constraints ORDER BY 1;

CREATE TABLE bad (x INT REFERENCES nope);

CREATE TABLE bad (x INT REFERENCES p (z));

CREATE TABLE bad (x INT REFERENCES p (c));

CREATE TABLE bad (x INT, FOREIGN KEY (x, y) REFERENCES p (a, b));

CREATE TABLE bad (x INT, y INT, FOREIGN KEY (x, y) REFERENCES p (a));

CREATE TABLE bad (x INT REFERENCES f);

DROP TABLE p;

ALTER TABLE p DROP CONSTRAINT p_pkey;

ALTER TABLE p RENAME TO parent;

SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'f_y_fkey';

ALTER TABLE parent RENAME COLUMN b TO bb;

SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'f_y_fkey';

ALTER TABLE parent DROP COLUMN bb CASCADE;

DROP TABLE parent CASCADE;

SELECT count(*) FROM pg_constraint WHERE conrelid = 'f'::regclass;

DROP TABLE f;
