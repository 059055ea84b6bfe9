SELECT 0.1::float8 + 0.2::float8, 1e20::float8, 1e-7::float8, 'NaN'::float8, '-Infinity'::float8;

SELECT 1.5::real, 16777217::real;

SELECT 2.5::int, 3.5::int, (-2.5)::int;

SELECT 1e300::float8 * 1e300::float8;
