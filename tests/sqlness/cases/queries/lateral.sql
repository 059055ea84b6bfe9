SELECT g.i, l.d FROM generate_series(1, 3) AS g(i), LATERAL (SELECT g.i * 2 AS d) AS l ORDER BY g.i;

SELECT g.i, x.j FROM generate_series(1, 2) AS g(i) LEFT JOIN LATERAL generate_series(2, g.i) AS x(j) ON true ORDER BY 1, 2;
