PREPARE add_up (int, int) AS SELECT $1 + $2 AS total;

EXECUTE add_up(2, 3);

EXECUTE add_up(2);

DEALLOCATE add_up;

EXECUTE add_up(2, 3);
