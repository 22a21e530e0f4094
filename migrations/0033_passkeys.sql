-- Passkeys (WebAuthn) of customers and staff. credential is what the authenticator calls its key; record has the public key,
-- the counter of signatures and the flags. The private key never leaves the authenticator.
CREATE TABLE passkeys (
    credential bytea       PRIMARY KEY,
    id         uuid        NOT NULL DEFAULT gen_random_uuid(),
    customer   uuid        REFERENCES customer_accounts ON DELETE CASCADE,
    staff      uuid        REFERENCES staff_accounts ON DELETE CASCADE,
    name       text        NOT NULL,
    record     jsonb       NOT NULL,
    created_at timestamptz NOT NULL,
    used_at    timestamptz,
    CONSTRAINT one_passkey_per_id UNIQUE (id),
    CONSTRAINT a_passkey_has_one_owner CHECK (num_nonnulls(customer, staff) = 1)
);
CREATE INDEX passkeys_by_customer ON passkeys (customer);
CREATE INDEX passkeys_by_staff ON passkeys (staff);
ALTER TABLE passkeys ALTER COLUMN name SET STATISTICS 0;

-- Challenges that wait for an answer, by their hash. One is deleted when it is answered, whatever the answer is.
CREATE TABLE passkey_challenges (
    challenge bytea       PRIMARY KEY,
    purpose   text        NOT NULL,
    customer  uuid        REFERENCES customer_accounts ON DELETE CASCADE,
    staff     uuid        REFERENCES staff_accounts ON DELETE CASCADE,
    session   jsonb       NOT NULL,
    ends_at   timestamptz NOT NULL,
    CONSTRAINT known_purpose CHECK (purpose IN ('add', 'customer sign-in', 'staff sign-in', 'step-up'))
);
CREATE INDEX passkey_challenges_by_age ON passkey_challenges (ends_at);
