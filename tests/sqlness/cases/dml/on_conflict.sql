CREATE TABLE k (id INT PRIMARY KEY, v INT);

INSERT INTO k VALUES (1, 1), (2, 2);

INSERT INTO k VALUES (2, 20), (3, 30) ON CONFLICT (id) DO NOTHING;

INSERT INTO k VALUES (2, 20), (4, 40) ON CONFLICT (id) DO UPDATE SET v = k.v + excluded.v RETURNING *;

INSERT INTO k VALUES (5, 1), (5, 2) ON CONFLICT (id) DO UPDATE SET v = excluded.v;

SELECT * FROM k ORDER BY id;

DROP TABLE k;

-- without a target every unique key counts, whatever the table is called by now
CREATE TABLE keyed (id INT PRIMARY KEY, x INT UNIQUE, y TEXT);

INSERT INTO keyed VALUES (1, 10, 'a');

INSERT INTO keyed VALUES (2, 10, 'b'), (3, NULL, 'c'), (1, 11, 'd') ON CONFLICT DO NOTHING RETURNING id;

ALTER TABLE keyed RENAME TO keyed2;

INSERT INTO keyed2 VALUES (1, 12, 'e'), (4, 10, 'f'), (5, 13, 'g') ON CONFLICT DO NOTHING RETURNING id;

-- a row that gives way is in the way of no other: the second (6, …) stays because the first has gone
INSERT INTO keyed2 VALUES (6, 10, 'h'), (6, 20, 'i'), (7, 20, 'j') ON CONFLICT DO NOTHING RETURNING id, y;

-- the key that the statement names goes first
INSERT INTO keyed2 VALUES (1, 10, 'k') ON CONFLICT (x) DO UPDATE SET y = excluded.y RETURNING id, y;

INSERT INTO keyed2 VALUES (1, 10, 'l') ON CONFLICT (x) DO NOTHING;

INSERT INTO keyed2 VALUES (1, 99, 'm') ON CONFLICT (x) DO NOTHING;

INSERT INTO keyed2 VALUES (8, 30, 'n'), (9, 30, 'o') ON CONFLICT (x) DO UPDATE SET y = excluded.y;

SELECT * FROM keyed2 ORDER BY id;

DROP TABLE keyed2;

-- what DO UPDATE assigns is held against the other unique keys
CREATE TABLE uq (id INT PRIMARY KEY, x INT UNIQUE);

INSERT INTO uq VALUES (1, 1), (2, 2), (3, NULL);

INSERT INTO uq VALUES (1, 2) ON CONFLICT (id) DO UPDATE SET x = excluded.x;

INSERT INTO uq VALUES (1, 5), (2, 5) ON CONFLICT (id) DO UPDATE SET x = excluded.x;

INSERT INTO uq VALUES (3, 6), (4, 6) ON CONFLICT (id) DO UPDATE SET x = excluded.x;

INSERT INTO uq VALUES (1, 7), (4, 1) ON CONFLICT (id) DO UPDATE SET x = excluded.x;

SELECT * FROM uq ORDER BY id;

DROP TABLE uq;
