-- What columns of catalog files were taken for by hand: the next file with the same headers is read so again.
CREATE TABLE import_columns (
    -- SHA-256 of the headers, in their order.
    headers bytea       NOT NULL PRIMARY KEY,
    -- Our fields, and the headers that are taken for them.
    columns jsonb       NOT NULL,
    kept_at timestamptz NOT NULL,
    CONSTRAINT headers_as_a_sum CHECK (length(headers) = 32)
);
