-- Nothing: keeps the number of another change free.
-- stoa: works with 34

SELECT;
