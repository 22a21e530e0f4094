-- A code to choose another password belongs to whoever asked for it: id is the hash of what their browser shows, network that of
-- where they asked from. Several codes of an e-mail are valid side by side; link is the hash of the token in the same letter.
-- The codes of before are dropped, which were valid for fifteen minutes: whoever waits for one asks again.
DROP TABLE customer_resets;
CREATE TABLE customer_resets (
    id            bytea       PRIMARY KEY,
    email         bytea       NOT NULL,
    account       uuid        REFERENCES customer_accounts ON DELETE CASCADE,
    network       bytea       NOT NULL,
    code          bytea       NOT NULL,
    link          bytea       NOT NULL,
    -- By the browser that asked, and by others in its network.
    tries         integer     NOT NULL DEFAULT 0,
    network_tries integer     NOT NULL DEFAULT 0,
    ends_at       timestamptz NOT NULL,
    CONSTRAINT one_reset_per_link UNIQUE (link),
    CONSTRAINT five_tries CHECK (tries BETWEEN 0 AND 5),
    CONSTRAINT five_tries_by_network CHECK (network_tries BETWEEN 0 AND 5)
);
CREATE INDEX customer_resets_by_email ON customer_resets (email);
CREATE INDEX customer_resets_by_account ON customer_resets (account);
CREATE INDEX customer_resets_by_age ON customer_resets (ends_at);

-- Attempts of staff are counted by network and e-mail, by device, and by e-mail; key is a hash of these, email the one by which an
-- admin unlocks them. What was counted before is forgotten.
DROP TABLE staff_attempts;
CREATE TABLE staff_attempts (
    key          bytea       PRIMARY KEY,
    email        bytea       NOT NULL,
    failures     integer     NOT NULL,
    tried_at     timestamptz NOT NULL,
    locked_until timestamptz
);
CREATE INDEX staff_attempts_by_email ON staff_attempts (email);
CREATE INDEX staff_attempts_by_age ON staff_attempts (tried_at);
