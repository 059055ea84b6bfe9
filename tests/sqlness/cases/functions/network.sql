SELECT ipv4_string_to_num('10.0.0.1') AS n, ipv4_num_to_string(167772161) AS text, inet_aton('0.0.1.0') AS aton, inet_ntoa(4294967295) AS ntoa;

SELECT ipv4_to_cidr('10.1.2.3', 8) AS eight, ipv4_to_cidr('10.1.2.3') AS host, ipv4_to_cidr('10.1.0.0') AS guessed,
       ipv6_to_cidr('2001:db8:1::1', 48) AS six, ipv6_to_cidr('2001:db8::') AS six_guessed, ipv6_to_cidr('::1', 0) AS all_of_them;

SELECT ipv4_in_range('192.168.1.77', '192.168.1.64/26') AS inside, ipv4_in_range('192.168.1.128', '192.168.1.64/26') AS outside,
       ipv4_in_range('::1', '0.0.0.0/0') AS other_family, ipv6_in_range('2001:db8::5', '2001:db8::/32') AS six;

SELECT ipv6_num_to_string('20010db8000000000000000000000001') AS short, ipv6_num_to_string(ipv6_string_to_num('::ffff:10.0.0.1')) AS mapped,
       ipv6_string_to_num('1:0:0:2::') AS bytes, ipv6_num_to_string(ipv6_string_to_num('1:0:0:2:0:0:0:3')) AS longest_gap;

SELECT ipv4_string_to_num('10.0.0.256');

SELECT ipv4_num_to_string(-1);

SELECT ipv4_to_cidr('10.0.0.1', 33);

SELECT ipv4_in_range('10.0.0.1', '10.0.0.0');

SELECT ipv6_string_to_num('1::2::3');

-- The bits of longitude and latitude by turns: 0, 0 is the lower left corner of the cell s00.
SELECT geohash(0, 0, 3) AS origin, geohash(90, 180, 2) AS corner, geohash(57.64911, 10.40744, 11) AS known;

SELECT geohash_neighbours(0, 0, 1) AS around, geohash_neighbours(80, -179, 1) AS at_the_edge;

SELECT geohash_decode('s') AS middle;

SELECT geohash(0, 0, 13);

SELECT geohash(91, 0, 3);

SELECT geohash_decode('a');
