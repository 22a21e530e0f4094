-- A sign-in of a customer: what it was made with, in words and without whole addresses, and when it was used last.
-- browser is the keyed hash of the cookie that has to come along with the token; null: the token was not given to a page in a
-- browser.
ALTER TABLE customer_tokens
    ADD COLUMN id uuid NOT NULL DEFAULT gen_random_uuid(),
    ADD COLUMN device text NOT NULL DEFAULT '',
    ADD COLUMN network text NOT NULL DEFAULT '',
    ADD COLUMN seen_at timestamptz,
    ADD COLUMN browser bytea,
    ADD CONSTRAINT one_token_per_session UNIQUE (id);
ALTER TABLE customer_tokens ALTER COLUMN device SET STATISTICS 0, ALTER COLUMN network SET STATISTICS 0;

-- Whoever is signed in today is not signed out: sign-ins of before count as used now.
UPDATE customer_tokens SET seen_at = now();
ALTER TABLE customer_tokens ALTER COLUMN seen_at SET NOT NULL;

-- Devices that an account was signed in from, by keyed hashes. A sign-in from another one is told to its owner.
CREATE TABLE customer_devices (
    account uuid        NOT NULL REFERENCES customer_accounts ON DELETE CASCADE,
    device  bytea       NOT NULL,
    seen_at timestamptz NOT NULL,
    CONSTRAINT one_row_per_device PRIMARY KEY (account, device)
);
CREATE INDEX customer_devices_by_age ON customer_devices (seen_at);
