SELECT round(sin(1)::numeric, 10), round(cos(1)::numeric, 10), round(tan(1)::numeric, 10), round(cot(1)::numeric, 10);

SELECT asin(1), acos(1), atan(0), atan2(0, 1), round(atan2(1, 1)::numeric, 12);

SELECT sind(30), cosd(60), tand(45), asind(0.5), acosd(0.5), atand(1), cotd(45);

SELECT degrees(pi()), radians(180), pi();

SELECT round(sinh(1)::numeric, 10), round(cosh(1)::numeric, 10), round(tanh(1)::numeric, 10), round(asinh(1)::numeric, 10), acosh(1), atanh(0);

SELECT asin(2);

SELECT acos('NaN'::float8), sin('NaN'::float8);

SELECT sin('Infinity'::float8);

SELECT atanh(2);
