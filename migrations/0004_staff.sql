-- Who works in the shop and how they prove it. An account's life is told by events; here stands what sign-in asks.
CREATE TABLE staff_accounts (
    id              uuid        PRIMARY KEY,
    email           text        NOT NULL,
    role            text        NOT NULL,
    created_at      timestamptz NOT NULL,
    disabled_at     timestamptz,
    signed_in_at    timestamptz,
    -- An Argon2id hash in PHC format; null until its owner has chosen a password.
    password        text,
    -- The authenticator's secret, and the last time step a code was taken of: no code works twice.
    totp            bytea,
    totp_confirmed  boolean     NOT NULL DEFAULT false,
    totp_step       bigint      NOT NULL DEFAULT 0,
    -- The hash of a one-time link to choose a password.
    invitation      bytea,
    invitation_ends timestamptz,
    CONSTRAINT one_account_per_email UNIQUE (email),
    CONSTRAINT one_account_per_invitation UNIQUE (invitation),
    CONSTRAINT invitations_end CHECK ((invitation IS NULL) = (invitation_ends IS NULL)),
    CONSTRAINT confirmed_has_a_secret CHECK (totp IS NOT NULL OR NOT totp_confirmed)
);

-- token is the hash of what the browser's cookie has.
CREATE TABLE staff_sessions (
    token      bytea       PRIMARY KEY,
    account    uuid        NOT NULL REFERENCES staff_accounts ON DELETE CASCADE,
    created_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL
);
CREATE INDEX staff_sessions_by_account ON staff_sessions (account);

-- code is the hash of one that is not used yet.
CREATE TABLE staff_recovery_codes (
    account uuid  NOT NULL REFERENCES staff_accounts ON DELETE CASCADE,
    code    bytea NOT NULL,
    CONSTRAINT one_row_per_code PRIMARY KEY (account, code)
);

-- Attempts to sign in that have failed, by the hash of the e-mail, whether there is such an account or not.
CREATE TABLE staff_attempts (
    email        bytea       PRIMARY KEY,
    failures     integer     NOT NULL,
    tried_at     timestamptz NOT NULL,
    locked_until timestamptz
);
CREATE INDEX staff_attempts_by_age ON staff_attempts (tried_at);
