-- Keys the program makes for itself, the same for every process on this database.
CREATE TABLE secrets (
    name       text        PRIMARY KEY,
    value      bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT secret_is_256_bits CHECK (octet_length(value) = 32)
);
