-- How customers prove who they are. An account's life is told by events; here stands only what sign-in asks, and nothing
-- of it is readable: e-mails are keyed hashes, passwords Argon2id, tokens and codes hashes.
CREATE TABLE customer_accounts (
    id         uuid        PRIMARY KEY,
    email      bytea       NOT NULL,
    -- An Argon2id hash in PHC format.
    password   text        NOT NULL,
    created_at timestamptz NOT NULL,
    -- Null until the log says that the account is there.
    opened_at  timestamptz,
    -- The letter to the e-mail was answered.
    verified   boolean     NOT NULL DEFAULT false,
    CONSTRAINT one_customer_per_email UNIQUE (email)
);

-- token is the hash of what the browser has.
CREATE TABLE customer_tokens (
    token      bytea       PRIMARY KEY,
    account    uuid        NOT NULL REFERENCES customer_accounts ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    ends_at    timestamptz NOT NULL
);
CREATE INDEX customer_tokens_by_account ON customer_tokens (account);
CREATE INDEX customer_tokens_by_age ON customer_tokens (ends_at);

-- Codes to choose another password, one for each e-mail that asked, whether it has an account or not.
CREATE TABLE customer_resets (
    email   bytea       PRIMARY KEY,
    account uuid        REFERENCES customer_accounts ON DELETE CASCADE,
    code    bytea       NOT NULL,
    tries   integer     NOT NULL DEFAULT 0,
    ends_at timestamptz NOT NULL,
    CONSTRAINT five_tries CHECK (tries BETWEEN 0 AND 5)
);
CREATE INDEX customer_resets_by_age ON customer_resets (ends_at);

-- Links that prove an e-mail; email is the one the letter went to.
CREATE TABLE customer_verifications (
    token   bytea       PRIMARY KEY,
    account uuid        NOT NULL REFERENCES customer_accounts ON DELETE CASCADE,
    email   bytea       NOT NULL,
    ends_at timestamptz NOT NULL
);
CREATE INDEX customer_verifications_by_account ON customer_verifications (account);
CREATE INDEX customer_verifications_by_age ON customer_verifications (ends_at);

-- Attempts within a window of time, by the hash of what was attempted with which e-mail.
CREATE TABLE customer_attempts (
    key     bytea       PRIMARY KEY,
    count   integer     NOT NULL,
    ends_at timestamptz NOT NULL
);
CREATE INDEX customer_attempts_by_age ON customer_attempts (ends_at);

-- Orders of guests, by the hash of their e-mail, until they join an account.
CREATE TABLE guest_orders (
    order_id uuid  PRIMARY KEY,
    email    bytea NOT NULL
);
CREATE INDEX guest_orders_by_email ON guest_orders (email);
