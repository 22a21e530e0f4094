-- Keys in the database are wrapped with a key of a file outside it: version (1 byte), id of that key (4), nonce (12), ciphertext
-- (32), tag (16). Keys of before have 32 bytes and stay readable; the program wraps them.
ALTER TABLE eventstore.person_keys DROP CONSTRAINT key_is_256_bits;
ALTER TABLE eventstore.person_keys ADD CONSTRAINT key_is_256_bits_or_wrapped CHECK (octet_length(key) IN (32, 65)) NOT VALID;
ALTER TABLE secrets DROP CONSTRAINT secret_is_256_bits;
ALTER TABLE secrets ADD CONSTRAINT secret_is_256_bits_or_wrapped CHECK (octet_length(value) IN (32, 65));

-- The ids of the keys that wrap something here. A key is written here before it wraps, and goes when it wraps nothing any more, so
-- that a program whose file lacks one is told before it begins. The empty id: something is not wrapped.
CREATE TABLE eventstore.wrapping_keys (
    id    bytea       PRIMARY KEY,
    since timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT id_is_32_bits_or_empty CHECK (octet_length(id) IN (0, 4))
);
INSERT INTO eventstore.wrapping_keys (id)
SELECT '' WHERE EXISTS (SELECT FROM secrets) OR EXISTS (SELECT FROM eventstore.person_keys WHERE key IS NOT NULL);
