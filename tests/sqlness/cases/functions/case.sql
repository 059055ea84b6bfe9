-- Character by character: none becomes several, none depends on its neighbours.
SELECT upper('aß é') AS u, upper('ŉ') AS n, lower('ÄΣ') AS l, lower('ΑΣ') AS s;

SELECT lower('İ') = 'i' AS dotted, length(upper('straße')) AS n, initcap('éa ßx o''neil x_y 1a') AS i;

SELECT 'STRAßE' ILIKE 'straß_' AS one, 'ΑΣ' ILIKE 'ας' AS final, 'ΑΣ' ILIKE 'ασ' AS sigma;
