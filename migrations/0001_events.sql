-- The log: streams, events, and what readers of the log remember.

CREATE SCHEMA eventstore;

-- A stream's row carries its version; an append locks it, so that version order is position order.
CREATE TABLE eventstore.streams (
    name    text     PRIMARY KEY,
    slice   smallint NOT NULL,
    version bigint   NOT NULL,
    CONSTRAINT slice_in_range CHECK (slice BETWEEN 0 AND 1023),
    CONSTRAINT version_not_negative CHECK (version >= 0)
) WITH (fillfactor = 70);

-- CACHE 1: a cached block would let a session allocate below a marker it took later.
CREATE SEQUENCE eventstore.position AS bigint CACHE 1;

CREATE TABLE eventstore.events (
    position    bigint      NOT NULL,
    slice       smallint    NOT NULL,
    schema      smallint    NOT NULL,
    version     bigint      NOT NULL,
    id          uuid        NOT NULL,
    recorded_at timestamptz NOT NULL,
    stream      text        NOT NULL,
    type        text        NOT NULL,
    data        json        NOT NULL,
    metadata    json        NOT NULL,
    CONSTRAINT events_by_position PRIMARY KEY (position),
    CONSTRAINT one_event_per_version UNIQUE (stream, version),
    CONSTRAINT event_id_is_unique UNIQUE (id)
);

-- A person's data in events is readable only while the key is here.
CREATE TABLE eventstore.person_keys (
    person     uuid        PRIMARY KEY,
    key        bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT key_is_256_bits CHECK (octet_length(key) = 32)
);

-- The answer to a request that must not be carried out twice, written in the append's own transaction.
CREATE TABLE eventstore.idempotency_keys (
    scope      text        NOT NULL,
    key        text        NOT NULL,
    request    bytea       NOT NULL,
    response   bytea       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT one_answer_per_key PRIMARY KEY (scope, key)
);
CREATE INDEX idempotency_keys_by_age ON eventstore.idempotency_keys (created_at);

-- How far a consumer has come in a range of slices; term is the fencing term of the lease that wrote it.
CREATE TABLE eventstore.checkpoints (
    consumer   text        NOT NULL,
    range      smallint    NOT NULL,
    position   bigint      NOT NULL DEFAULT 0,
    term       bigint      NOT NULL DEFAULT 0,
    paused     boolean     NOT NULL DEFAULT false,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT one_checkpoint_per_range PRIMARY KEY (consumer, range)
);

-- An event a consumer could not handle parks its stream in that consumer; later events of the stream wait behind it.
CREATE TABLE eventstore.dead_letters (
    consumer  text        NOT NULL,
    position  bigint      NOT NULL,
    stream    text        NOT NULL,
    error     text        NOT NULL,
    attempts  integer     NOT NULL DEFAULT 1,
    parked_at timestamptz NOT NULL DEFAULT now(),
    tried_at  timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT one_dead_letter_per_event PRIMARY KEY (consumer, position)
);
CREATE INDEX dead_letters_by_stream ON eventstore.dead_letters (consumer, stream, position);
