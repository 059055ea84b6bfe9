CREATE TABLE ctm (a int);

CREATE TABLE ctm (a int);

CREATE TABLE IF NOT EXISTS ctm (b text);

CREATE TABLE ctm2 (a int, a text);

CREATE TABLE ctm2 (a nix);

CREATE TABLE ctm2 (a int PRIMARY KEY, b int PRIMARY KEY);

CREATE TABLE ctm2 (a int DEFAULT 'x');

CREATE TABLE ctm2 (a int DEFAULT b, b int);

CREATE TABLE ctm2 (a int CHECK (b > 1));

CREATE TABLE ctm2 (a int NULL NOT NULL);

CREATE TABLE ctm2 (a int REFERENCES nix (b));

CREATE TABLE ctm2 (a int, PRIMARY KEY (b));

CREATE TABLE ctm2 ();

CREATE TABLE ctm3 (a int DEFAULT 1 + 1, b text DEFAULT upper('x'), c timestamp DEFAULT '2024-01-01', d int GENERATED ALWAYS AS (a * 2) STORED);

INSERT INTO ctm3 (a) VALUES (DEFAULT), (5);

SELECT * FROM ctm3 ORDER BY a;

CREATE TABLE "Mixed Name" ("A b" int);

INSERT INTO "Mixed Name" VALUES (1);

SELECT "A b" FROM "Mixed Name";

DROP TABLE "Mixed Name";

DROP TABLE nix;

DROP TABLE IF EXISTS nix, ctm3;

DROP TABLE ctm, ctm2;
