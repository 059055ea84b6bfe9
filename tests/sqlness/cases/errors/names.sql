CREATE TABLE customers (id INT PRIMARY KEY, surname TEXT);

SELECT * FROM custmers;

SELECT surnam FROM customers;

SELECT nosuchfunction(1);

SELECT 1 + 'a'::text;

SELECT a.x FROM customers c;

INSERT INTO customers (id, nosuch) VALUES (1, 2);

DROP TABLE customers;
