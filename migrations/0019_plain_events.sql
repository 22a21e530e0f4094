-- An order's event has some 2 200 bytes, a little more than where PostgreSQL begins to compress. That cost each append of one
-- some 50 µs and each reader some 10, for six percent of room. What is longer than a page still goes the usual way.
ALTER TABLE eventstore.events SET (toast_tuple_target = 8160);
