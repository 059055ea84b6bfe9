SELECT power(2, 10), power(2::numeric, 0.5), power(0, 0), 2 ^ 3 AS hat, |/ 25 AS root, ||/ 8 AS cube;

SELECT sqrt(2), sqrt(16::numeric), cbrt(8), exp(0), exp(1::numeric);

SELECT ln(1), ln(10::numeric), log(100), log(2, 64), log10(1000);

SELECT factorial(5), factorial(0), factorial(20);

SELECT factorial(-1);

SELECT sqrt(-1);

SELECT ln(0);

SELECT log(-1::numeric);

SELECT power(-2, 0.5);

SELECT power(0, -1);

SELECT exp(1000::float8);
