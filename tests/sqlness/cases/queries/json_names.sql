-- Dotted names go on into JSON columns: doc.a.b is doc #>> '{a,b}', where PostgreSQL knows no such table.
CREATE TABLE j (id INT PRIMARY KEY, doc JSONB, text JSON);

INSERT INTO j VALUES (1, '{"a": {"b": 1, "C d": [2]}, "kind": "x"}', '{"n": "7"}'), (2, '{"a": null, "kind": "y"}', NULL), (3, '[]', '3');

SELECT id, doc.a, doc.a.b, doc.a."C d", text.n, j.doc.a.b AS qualified FROM j ORDER BY id;

SELECT doc.kind AS kind, count(*) FROM j WHERE doc.kind IN ('x', 'y') GROUP BY kind ORDER BY kind;

SELECT doc.a.b::int + 1 AS next, pg_typeof(doc.a.b) AS type FROM j WHERE id = 1;

-- Tables come first, and other columns have no parts.
SELECT doc.id FROM j AS doc WHERE doc.id = 2;

SELECT id.a FROM j;

SELECT nothing.a FROM j;

SELECT j.nothing.a FROM j;

DROP TABLE j;
