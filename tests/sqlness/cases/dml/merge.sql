CREATE TABLE stock (id int PRIMARY KEY, qty int NOT NULL, note text DEFAULT 'new', CHECK (qty >= 0));

INSERT INTO stock VALUES (1, 10, 'a'), (2, 20, 'b'), (3, 30, 'c');

CREATE TABLE moves (id int, delta int);

INSERT INTO moves VALUES (1, 5), (2, -20), (4, 40), (5, 0);

MERGE INTO stock s USING moves m ON s.id = m.id
  WHEN MATCHED AND s.qty + m.delta = 0 THEN DELETE
  WHEN MATCHED THEN UPDATE SET qty = s.qty + m.delta, note = note || '!'
  WHEN NOT MATCHED AND m.delta = 0 THEN DO NOTHING
  WHEN NOT MATCHED THEN INSERT (id, qty) VALUES (m.id, m.delta);

SELECT * FROM stock ORDER BY id;

-- 2 is not there any more, and -20 is refused: nothing of the statement is kept
MERGE INTO stock s USING moves m ON s.id = m.id WHEN MATCHED THEN UPDATE SET qty = s.qty + m.delta WHEN NOT MATCHED THEN INSERT VALUES (m.id, m.delta, DEFAULT);

SELECT * FROM stock ORDER BY id;

-- sub-query as source, constants
MERGE INTO stock USING (VALUES (1, 'x'), (9, 'y')) AS v(k, t) ON id = k WHEN MATCHED THEN UPDATE SET note = t WHEN NOT MATCHED THEN INSERT (id, note, qty) VALUES (k, t, k * 2);

SELECT * FROM stock ORDER BY id;

-- twice
MERGE INTO stock USING (VALUES (1), (1)) AS v(k) ON id = k WHEN MATCHED THEN UPDATE SET qty = 0;

MERGE INTO stock USING (VALUES (7), (7)) AS v(k) ON id = k WHEN NOT MATCHED THEN INSERT VALUES (k, 0);

MERGE INTO stock USING (VALUES (1), (1)) AS v(k) ON id = k WHEN MATCHED THEN DO NOTHING;

-- subqueries
MERGE INTO stock s USING moves m ON s.id = m.id AND m.delta > (SELECT min(delta) FROM moves)
  WHEN MATCHED AND EXISTS (SELECT 1 FROM moves x WHERE x.id = s.id) THEN UPDATE SET qty = (SELECT max(delta) FROM moves y WHERE y.id <= m.id)
  WHEN NOT MATCHED AND m.id IN (SELECT 5) THEN INSERT VALUES (m.id, (SELECT count(*) FROM stock));

SELECT * FROM stock ORDER BY id;

-- guarded division
MERGE INTO stock s USING (VALUES (1, 0), (4, 2)) AS v(k, d) ON s.id = v.k WHEN MATCHED AND d = 0 THEN UPDATE SET note = 'zero' WHEN MATCHED THEN UPDATE SET qty = qty / d;

SELECT * FROM stock ORDER BY id;

WITH w AS (SELECT id FROM stock WHERE qty > 15) MERGE INTO stock s USING w ON s.id = w.id WHEN MATCHED THEN DELETE;

SELECT * FROM stock ORDER BY id;

PREPARE p(int, int) AS MERGE INTO stock USING (VALUES ($1, $2)) AS v(k, q) ON id = k WHEN MATCHED THEN UPDATE SET qty = qty + q WHEN NOT MATCHED THEN INSERT VALUES (k, q);

EXECUTE p(100, 1);

EXECUTE p(100, 1);

SELECT * FROM stock WHERE id = 100;

-- keys move
MERGE INTO stock s USING (VALUES (100, 1), (1, 100)) AS v(k, n) ON s.id = v.k WHEN MATCHED THEN UPDATE SET id = n;

MERGE INTO stock s USING (VALUES (100)) AS v(k) ON s.id = v.k WHEN MATCHED THEN UPDATE SET id = 101;

SELECT * FROM stock ORDER BY id;

-- without key
CREATE TABLE heap (a int, b int);

INSERT INTO heap VALUES (1, 1), (1, 2), (2, 3);

MERGE INTO heap USING (VALUES (1), (3)) AS v(k) ON a = k WHEN MATCHED AND b = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET b = b * 10 WHEN NOT MATCHED THEN INSERT VALUES (k, 0);

SELECT * FROM heap ORDER BY a, b;

MERGE INTO heap USING (SELECT * FROM heap) AS v ON heap.a = v.a AND heap.b = v.b WHEN MATCHED THEN DELETE;

SELECT count(*) FROM heap;

MERGE INTO heap USING (VALUES (1)) AS v(k) ON a = k WHEN NOT MATCHED THEN INSERT DEFAULT VALUES;

SELECT * FROM heap;

CREATE TABLE gen (id int GENERATED ALWAYS AS IDENTITY, a int, b int GENERATED ALWAYS AS (a * 2) STORED);

MERGE INTO gen USING (VALUES (1), (2)) AS v(k) ON a = k WHEN NOT MATCHED THEN INSERT (a) VALUES (k);

MERGE INTO gen USING (VALUES (1), (2)) AS v(k) ON a = k WHEN MATCHED THEN UPDATE SET a = a + 10 WHEN NOT MATCHED THEN INSERT (a) VALUES (k);

MERGE INTO gen USING (VALUES (1)) AS v(k) ON a = k WHEN NOT MATCHED THEN INSERT (id, a) VALUES (7, k);

MERGE INTO gen USING (VALUES (1)) AS v(k) ON a = k WHEN NOT MATCHED THEN INSERT (id, a) OVERRIDING SYSTEM VALUE VALUES (7, k);

MERGE INTO gen USING (VALUES (1)) AS v(k) ON a = k WHEN MATCHED THEN UPDATE SET b = 7;

SELECT * FROM gen ORDER BY id;

BEGIN;

MERGE INTO gen USING (VALUES (1)) AS v(k) ON a = k WHEN MATCHED THEN DELETE;

SELECT count(*) FROM gen;

MERGE INTO gen USING (VALUES (1)) AS v(k) ON a = k WHEN NOT MATCHED THEN INSERT (a) VALUES (k);

ROLLBACK;

SELECT count(*) FROM gen;

MERGE INTO gen USING (VALUES (1)) AS v(k) ON a = k WHEN MATCHED AND count(*) > 1 THEN DELETE;

-- A table with a time index: rows are found by any condition, new ones overwrite by their key as INSERT does.
CREATE TABLE cpu (host TEXT, ts TIMESTAMP TIME INDEX, usage DOUBLE, PRIMARY KEY (host));

INSERT INTO cpu VALUES ('a', '2024-01-01 00:00:00', 1), ('b', '2024-01-01 00:00:00', 2), ('a', '2024-01-01 00:01:00', 3);

MERGE INTO cpu USING (VALUES ('a', TIMESTAMP '2024-01-01 00:01:00', 30.0), ('b', '2024-01-01 00:01:00', 40.0), ('b', '2024-01-01 00:00:00', NULL)) AS n(h, t, u)
  ON host = h AND ts = t
  WHEN MATCHED AND u IS NULL THEN DELETE
  WHEN MATCHED THEN UPDATE SET usage = usage + u
  WHEN NOT MATCHED THEN INSERT VALUES (h, t, u);

SELECT * FROM cpu ORDER BY host, ts;

CREATE TABLE lines (ts TIMESTAMP TIME INDEX, line TEXT) WITH (append_mode = 'true');

MERGE INTO lines USING (VALUES (TIMESTAMP '2024-01-01', 'x')) AS n(t, l) ON ts = t WHEN NOT MATCHED THEN INSERT VALUES (t, l);

MERGE INTO lines USING (VALUES (TIMESTAMP '2024-01-01', 'x')) AS n(t, l) ON ts = t WHEN MATCHED THEN DELETE;

SELECT count(*) FROM lines;

DEALLOCATE p;

DROP TABLE stock, moves, heap, gen, cpu, lines;
