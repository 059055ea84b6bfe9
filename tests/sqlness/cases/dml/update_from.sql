CREATE TABLE items (id INT PRIMARY KEY, price INT);

CREATE TABLE raises (id INT PRIMARY KEY, by_how_much INT);

INSERT INTO items VALUES (1, 10), (2, 20), (3, 30);

INSERT INTO raises VALUES (1, 5), (3, 7);

UPDATE items SET price = price + r.by_how_much FROM raises r WHERE items.id = r.id;

SELECT * FROM items ORDER BY id;

DELETE FROM items USING raises WHERE items.id = raises.id AND raises.by_how_much > 6;

SELECT * FROM items ORDER BY id;

DROP TABLE items, raises;
