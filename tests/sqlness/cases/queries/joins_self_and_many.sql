CREATE TABLE emp_j (id int PRIMARY KEY, boss int, name text);

INSERT INTO emp_j VALUES (1, NULL, 'ann'), (2, 1, 'bob'), (3, 1, 'cid'), (4, 2, 'dan');

SELECT e.name, b.name AS boss FROM emp_j e LEFT JOIN emp_j b ON e.boss = b.id ORDER BY 1;

SELECT b.name, count(e.id) FROM emp_j b LEFT JOIN emp_j e ON e.boss = b.id GROUP BY b.id, b.name ORDER BY 1;

SELECT a.name, b.name FROM emp_j a, emp_j b WHERE a.boss = b.boss AND a.id < b.id;

SELECT e.name, g.name FROM emp_j e JOIN emp_j b ON e.boss = b.id JOIN emp_j g ON b.boss = g.id;

SELECT count(*) FROM emp_j a, emp_j b, emp_j c WHERE a.id = b.id AND b.id = c.id;

SELECT x.name FROM emp_j x WHERE x.id = (SELECT max(y.id) FROM emp_j y WHERE y.boss = x.boss) ORDER BY 1;

SELECT emp_j.name FROM emp_j e;

SELECT e.name FROM emp_j e, emp_j e;

SELECT name FROM emp_j a, emp_j b;

DROP TABLE emp_j;
