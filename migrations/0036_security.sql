-- The security log: who signed in, who guessed, who changed an account and who looked at persons. Addresses and e-mails stand in it as
-- keyed hashes alone. The serving role adds and reads; it changes and deletes nothing but by the two functions.
CREATE SCHEMA security;
CREATE TABLE security.records (
    id      bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at      timestamptz NOT NULL,
    kind    text        NOT NULL,
    outcome text        NOT NULL,
    -- By what it was done: a password, a passkey, the new role.
    how     text        NOT NULL,
    party   text        NOT NULL,
    who     uuid,
    role    text        NOT NULL,
    -- Whom or what it was done to: an account, an order.
    about   uuid,
    route   text        NOT NULL,
    network bytea,
    email   bytea,
    request uuid,
    -- How many alike the row stands for.
    times   bigint      NOT NULL,
    CONSTRAINT known_party CHECK (party IN ('staff', 'customer', 'guest', 'cli', 'shop')),
    CONSTRAINT short_words CHECK (length(kind) <= 40 AND length(outcome) <= 40 AND length(how) <= 60 AND length(role) <= 40 AND length(route) <= 120),
    CONSTRAINT keyed_hashes CHECK (octet_length(network) = 16 AND octet_length(email) = 16),
    CONSTRAINT some_times CHECK (times > 0)
);
CREATE INDEX records_by_time ON security.records (at);
CREATE INDEX records_by_kind ON security.records (kind, at);
CREATE INDEX records_by_who ON security.records (who) WHERE who IS NOT NULL;
CREATE INDEX records_by_about ON security.records (about) WHERE about IS NOT NULL;
CREATE INDEX records_by_network ON security.records (network) WHERE network IS NOT NULL;
CREATE INDEX records_by_email ON security.records (email) WHERE email IS NOT NULL;

-- Takes persons out of their records: what happened stays, who it was goes.
CREATE FUNCTION security.forget(persons uuid[], emails bytea[]) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH forgotten AS (
        UPDATE security.records SET
            network = CASE WHEN who = ANY (persons) OR email = ANY (emails) THEN NULL ELSE network END,
            email = CASE WHEN who = ANY (persons) OR email = ANY (emails) THEN NULL ELSE email END,
            who = CASE WHEN who = ANY (persons) THEN NULL ELSE who END,
            about = CASE WHEN about = ANY (persons) THEN NULL ELSE about END,
            request = NULL
        WHERE who = ANY (persons) OR about = ANY (persons) OR email = ANY (emails)
        RETURNING 1
    ) SELECT count(*) FROM forgotten
$$;

-- Deletes old records, and none that is younger than 30 days, whoever asks.
CREATE FUNCTION security.sweep(before timestamptz) RETURNS bigint LANGUAGE sql SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $$
    WITH swept AS (DELETE FROM security.records WHERE at < least(before, now() - interval '30 days') RETURNING 1) SELECT count(*) FROM swept
$$;
