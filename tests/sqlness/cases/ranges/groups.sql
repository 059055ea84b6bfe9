CREATE TABLE rg (ts TIMESTAMP(3) TIME INDEX, host TEXT, dc TEXT, v INT, PRIMARY KEY (host, dc));

INSERT INTO rg VALUES (0, 'a', 'x', 1), (1000, 'a', 'y', 2), (2000, 'bb', 'x', 4), (6000, 'bb', 'x', 8);

-- The whole primary key, a part of it, nothing, expressions, names of the select list.
SELECT ts, host, dc, sum(v) RANGE '5s' FROM rg ALIGN '5s' ORDER BY ts, host, dc;

SELECT ts, host, sum(v) RANGE '5s' FROM rg ALIGN '5s' BY (host) ORDER BY ts, host;

SELECT ts, sum(v) RANGE '5s' FROM rg ALIGN '5s' BY () ORDER BY ts;

SELECT ts, length(host) + 1, sum(v) RANGE '5s' FROM rg ALIGN '5s' BY (length(host) + 1) ORDER BY ts, 2;

SELECT ts, upper(dc) AS place, sum(v) RANGE '5s' FROM rg ALIGN '5s' BY (place) ORDER BY ts, place;

-- A number is no place in the select list but a constant: one group.
SELECT ts, sum(v) RANGE '5s' FROM rg ALIGN '5s' BY (1) ORDER BY ts;

-- Without primary key there is one group.
CREATE TABLE rn (ts TIMESTAMP(3) TIME INDEX, host TEXT, v INT) WITH (append_mode = 'true');

INSERT INTO rn VALUES (0, 'a', 1), (0, 'b', 2);

SELECT ts, sum(v) RANGE '5s' FROM rn ALIGN '5s';

-- NULL is a group.
INSERT INTO rn VALUES (0, NULL, 4), (1, NULL, 8);

SELECT host, sum(v) RANGE '5s' FROM rn ALIGN '5s' BY (host) ORDER BY host;

-- Of a join the first table with a time index gives the time and the groups.
SELECT rg.ts, rg.host, sum(rg.v) RANGE '5s' AS s, max(rn.v) RANGE '5s' AS m
  FROM rg JOIN rn ON rn.host = rg.host ALIGN '5s' BY (rg.host) ORDER BY rg.ts;

SELECT host, dc, rg.ts, count(*) RANGE '10s' FROM rg LEFT JOIN rn USING (host) ALIGN '10s' ORDER BY host, dc;

DROP TABLE rn;

DROP TABLE rg;
