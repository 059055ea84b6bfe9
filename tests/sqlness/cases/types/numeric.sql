SELECT 1.10 + 2.2, 1.10 * 2.2, 1::numeric / 3;

SELECT round(2.5), round(-2.5), round(1234.5678, 2), trunc(-1.9);

SELECT 123.456::numeric(5, 1);

SELECT 'NaN'::numeric > 1e300;
