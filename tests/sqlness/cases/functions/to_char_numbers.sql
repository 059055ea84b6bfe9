SELECT to_char(1234.5, '9,999.99'), to_char(-1234.5, '9,999.99'), to_char(0.5, '0.99'), to_char(0.5, '9.99'), to_char(12, '99999'), to_char(12, '00000');

SELECT to_char(485, 'FM999'), to_char(-485, '999S'), to_char(-485, '999MI'), to_char(485, '999MI'), to_char(485, 'FM999MI'), to_char(-485, '999PR'), to_char(485, 'PL999'), to_char(485, 'SG999');

SELECT to_char(485, 'L999'), to_char(485, 'RN'), to_char(5.2, 'FMRN'), to_char(482, '999th'), to_char(1, '9th'), to_char(1234567, 'FM9G999G999'), to_char(148.5, '999D999');

SELECT to_char(123456, '999'), to_char(12.45, '99V9'), to_char(0.0004859, '9.99EEEE'), to_char(-0.01, 'FM990.00'), to_char(1e10::float8, '9.99EEEE'), to_char(3.1::float4, 'FM9.999');

SELECT to_number('12,454.8-', '99G999D9S'), to_number('$1,234.50', 'L9,999.99'), to_number('<12>', '99PR'), to_number('1234', '99,99');

SELECT to_number('abc', '999');
