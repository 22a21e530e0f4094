-- The orders of orders.jsonl as a table, for DuckDB: duckdb -init docs/examples/consumer/orders.sql
CREATE VIEW orders AS
SELECT unnest(orders, recursive := true)
FROM read_json('orders.jsonl', format = 'newline_delimited',
    columns = {orders: 'STRUCT(id VARCHAR, stream VARCHAR, "number" BIGINT, "at" TIMESTAMPTZ)[]'});
