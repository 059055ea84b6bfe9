CREATE TYPE light AS ENUM ('red', 'green');

CREATE DOMAIN percent AS int CHECK (VALUE BETWEEN 0 AND 100);

CREATE TABLE lamps (l light, p percent DEFAULT 50, ts TIMESTAMP TIME INDEX, PRIMARY KEY (l));

INSERT INTO lamps (l, ts) VALUES ('green', '2024-01-01'), ('red', '2024-01-02');

ALTER TYPE light ADD VALUE 'yellow' AFTER 'red';

INSERT INTO lamps VALUES ('yellow', 70, '2024-01-03');

ADMIN flush_table('lamps');

ALTER TABLE lamps ADD COLUMN was light DEFAULT 'yellow';

-- SQLNESS ARG restart=true
SELECT l, p, was FROM lamps ORDER BY l DESC;

INSERT INTO lamps VALUES ('yellow', 101, '2024-01-04');

INSERT INTO lamps VALUES ('blue', 1, '2024-01-04');

SELECT l, ts FROM lamps WHERE l = 'yellow' AND was > 'red';

ALTER TYPE light RENAME VALUE 'red' TO 'crimson';

DELETE FROM lamps WHERE l = 'crimson';

SELECT l FROM lamps ORDER BY l;

DROP TABLE lamps;

DROP TYPE light;

DROP DOMAIN percent;
