SELECT round(2.5), round(-2.5), round(3.5::float8), round(2.5::float8), trunc(-2.7), ceil(-2.7), floor(-2.7);

SELECT round(1234.567, 2), round(1234.567, -2), trunc(1234.567, 1), trunc(1234.567, -3);

SELECT ceil(2.0000001::float8), ceiling(-0.5), floor(0.5::float4);

SELECT sign(-3), sign(0.0), sign(2.5::float8), abs(-7), abs(-7.5), @ -3 AS at;

SELECT div(7, 2), div(-7, 2), mod(-7, 2), -7 % 2 AS m, 7 / 2 AS q, -7 / 2 AS nq, 7.0 / 2 AS d;

SELECT scale(1.500), min_scale(1.500), trim_scale(1.500), round(NULL::numeric, 2);

SELECT width_bucket(5.35, 0.024, 10.06, 5), width_bucket(11, 0, 10, 5), width_bucket(-1, 0, 10, 5);

SELECT gcd(1071, 462), lcm(1071, 462), gcd(0, 5), lcm(0, 5), gcd(12.5, 7.5);
