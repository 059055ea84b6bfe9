CREATE TABLE fd (id int PRIMARY KEY, name text, dep int);

CREATE TABLE fd2 (dep int PRIMARY KEY, label text);

INSERT INTO fd VALUES (1, 'a', 1), (2, 'b', 1), (3, 'c', 2);

INSERT INTO fd2 VALUES (1, 'one'), (2, 'two');

SELECT id, name, count(*) FROM fd GROUP BY id ORDER BY id;

SELECT d.dep, d.label, count(*) FROM fd f JOIN fd2 d USING (dep) GROUP BY d.dep ORDER BY 1;

SELECT d.label, count(*) FROM fd f JOIN fd2 d ON f.dep = d.dep GROUP BY d.dep ORDER BY 1;

SELECT name, count(*) FROM fd GROUP BY dep;

SELECT f.id, upper(f.name) || d.label AS t FROM fd f JOIN fd2 d USING (dep) GROUP BY f.id, d.dep ORDER BY 1;

DROP TABLE fd, fd2;
