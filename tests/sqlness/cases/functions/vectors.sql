-- Vectors are text or the bytes of parse_vec, in any place.
SELECT vec_to_string(parse_vec('[1.0, -2.5]')) AS parsed, vec_to_string(vec_add('[1, 2]', parse_vec('[3, 4]'))) AS sum,
       vec_to_string(vec_sub('[1, 2]', '[3, 5]')) AS difference, vec_to_string(vec_mul('[1, 2]', '[3, 4]')) AS product,
       vec_to_string(vec_div('[1, 1]', '[2, 0]')) AS quotient, vec_to_string(parse_vec('[]')) AS empty;

SELECT vec_to_string(vec_scalar_add(1, '[1, 2]')) AS plus, vec_to_string(vec_scalar_mul(-0.5, '[2, 4]')) AS times,
       vec_to_string(vec_norm('[3, 4]')) AS direction, vec_to_string(vec_subvector('[1, 2, 3]', 1, 3)) AS part;

SELECT vec_dim('[1, 2, 3]') AS dim, vec_kth_elem('[1, 2, 3]', 0) AS first, vec_elem_sum('[1, 2, 3]') AS sum,
       vec_elem_avg('[1, 2, 3]') AS mean, vec_elem_product('[1, 2, 3]') AS product;

SELECT vec_dot_product('[1, 2]', '[3, 4]') AS dot, vec_l2sq_distance('[1, 2]', '[4, 6]') AS squares,
       vec_cos_distance('[1, 0]', '[0, 2]') AS right_angle, vec_cos_distance('[1, 0]', '[0, 0]') AS nowhere;

CREATE TABLE items (id INT, v BYTEA, ts TIMESTAMP TIME INDEX, PRIMARY KEY (id));

INSERT INTO items SELECT 1, parse_vec('[1, 2]'), to_timestamp(1)::timestamp UNION ALL SELECT 2, parse_vec('[3, 6]'), to_timestamp(2)::timestamp
UNION ALL SELECT 3, NULL, to_timestamp(3)::timestamp;

SELECT vec_to_string(vec_sum(v)) AS sum, vec_to_string(vec_avg(v)) AS mean, vec_to_string(vec_product(v)) AS product FROM items;

SELECT id FROM items ORDER BY vec_l2sq_distance(v, '[3, 5]') LIMIT 1;

SELECT vec_sum(v) IS NULL AS nothing FROM items WHERE id > 5;

SELECT vec_add('[1, 2]', '[1]');

SELECT parse_vec('1, 2');

SELECT vec_kth_elem('[1]', 1);

DROP TABLE items;
