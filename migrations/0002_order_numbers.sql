-- Order numbers are short and start at 100001; a refused checkout may leave a hole.
CREATE SEQUENCE order_numbers AS bigint START 100001 CACHE 1;
