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

-- A person's data in events is readable only while the key is here. Erasing leaves the row without its key, so
-- that no process makes the person a new one.
CREATE TABLE eventstore.person_keys (
    person     uuid        PRIMARY KEY,
    key        bytea,
    created_at timestamptz NOT NULL DEFAULT now(),
    erased_at  timestamptz,
    CONSTRAINT key_is_256_bits CHECK (octet_length(key) = 32),
    CONSTRAINT erased_has_no_key CHECK ((key IS NULL) = (erased_at IS NOT NULL))
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
-- types (empty: all) and rate (events a second, as of updated_at) are there for other processes to read.
CREATE TABLE eventstore.checkpoints (
    consumer   text        NOT NULL,
    range      smallint    NOT NULL,
    position   bigint      NOT NULL DEFAULT 0,
    term       bigint      NOT NULL DEFAULT 0,
    paused     boolean     NOT NULL DEFAULT false,
    types      text[]      NOT NULL DEFAULT '{}',
    rate       real        NOT NULL DEFAULT 0,
    updated_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT one_checkpoint_per_range PRIMARY KEY (consumer, range)
) WITH (fillfactor = 50);

-- An event a consumer could not handle parks its stream in that consumer; later events of the stream wait behind it
-- (their error is empty). A skipped event stays as a record of who let it go and why, and parks nothing.
CREATE TABLE eventstore.dead_letters (
    consumer  text        NOT NULL,
    position  bigint      NOT NULL,
    range     smallint    NOT NULL,
    stream    text        NOT NULL,
    error     text        NOT NULL,
    attempts  integer     NOT NULL DEFAULT 1,
    parked_at timestamptz NOT NULL DEFAULT now(),
    tried_at  timestamptz NOT NULL DEFAULT now(),
    -- retry asks the process that works the range to try the stream again.
    retry      boolean     NOT NULL DEFAULT false,
    skipped_at timestamptz,
    reason     text,
    CONSTRAINT one_dead_letter_per_event PRIMARY KEY (consumer, position),
    CONSTRAINT skipped_has_a_reason CHECK ((skipped_at IS NULL) = (reason IS NULL))
);
CREATE INDEX dead_letters_parked ON eventstore.dead_letters (consumer, range, stream, position) WHERE skipped_at IS NULL;

-- heads reads, in this order, the sequence's present value and the least marker of each slice group that has one.
-- A reader may pass neither; package eventstore says why the order matters.
CREATE FUNCTION eventstore.heads(OUT last bigint, OUT groups int[], OUT markers bigint[])
LANGUAGE plpgsql AS $$
BEGIN
    SELECT CASE WHEN p.is_called THEN p.last_value ELSE p.last_value - 1 END INTO last FROM eventstore.position p;

    -- A marker's key is 69 << 56 | group << 48 | position; pg_locks shows its halves as classid and objid.
    SELECT array_agg(m.grp), array_agg(m.least) INTO groups, markers
    FROM (
        SELECT ((l.classid::bigint >> 16) & 255)::int AS grp,
               min(((l.classid::bigint & 65535) << 32) | l.objid::bigint) AS least
        FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
          AND (l.classid::bigint >> 24) = 69
          AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
        GROUP BY 1
    ) m;
END $$;

-- mark takes the shared marker locks of slice groups: "whatever I allocate from now on lies above". It must run before
-- nextval and in a statement of its own.
CREATE FUNCTION eventstore.mark(groups int[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    present bigint;
BEGIN
    SELECT CASE WHEN p.is_called THEN p.last_value ELSE p.last_value - 1 END INTO present FROM eventstore.position p;
    PERFORM pg_advisory_xact_lock_shared((69::bigint << 56) | (g::bigint << 48) | present) FROM unnest(groups) g;
END $$;

-- append_one writes one event in as little work as there is: the append a shop makes most often. reached is the
-- stream's version after it, placed the event's position; that is null when the stream was not at the version expected,
-- and reached then tells where it is. lock_wait is in milliseconds.
CREATE FUNCTION eventstore.append_one(
    lock_wait int, of_stream text, of_slice smallint, expected bigint, of_group int,
    event uuid, of_type text, of_schema smallint, payload json, about json, at timestamptz,
    OUT reached bigint, OUT placed bigint)
LANGUAGE plpgsql AS $$
#variable_conflict use_column
DECLARE
    present bigint;
    nothing text; -- an assignment costs less than a PERFORM
BEGIN
    nothing := set_config('lock_timeout', lock_wait::text, true);
    IF expected > 0 THEN
        UPDATE eventstore.streams s SET version = s.version + 1 WHERE s.name = of_stream AND s.version = expected
        RETURNING s.version INTO reached;
    ELSE
        INSERT INTO eventstore.streams AS s (name, slice, version) VALUES (of_stream, of_slice, 1)
        ON CONFLICT (name) DO UPDATE SET version = s.version + 1 WHERE expected IN (-1, s.version)
        RETURNING s.version INTO reached;
    END IF;
    IF reached IS NULL THEN
        reached := coalesce((SELECT s.version FROM eventstore.streams s WHERE s.name = of_stream), 0);
        RETURN;
    END IF;

    -- The marker, as eventstore.mark takes it.
    SELECT CASE WHEN p.is_called THEN p.last_value ELSE p.last_value - 1 END INTO present FROM eventstore.position p;
    nothing := pg_advisory_xact_lock_shared((69::bigint << 56) | (of_group::bigint << 48) | present)::text;

    INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
    VALUES (nextval('eventstore.position'), of_slice, of_schema, reached, event, at, of_stream, of_type, payload, about)
    RETURNING events.position INTO placed;
END $$;

-- append writes a group of appends that do not contradict each other, in one statement and so in one round trip.
-- Streams come sorted by name, which is the order of locking everywhere; expected -1 is any version. Event i belongs
-- to stream of_stream[i] (from 1) and is the nth[i] of those added to it.
-- outcome: 'done'; 'conflict' (versions holds the actual one) or 'key', and then nothing was written. When it finds out
-- too late to leave no trace it raises ES001 instead. lock_wait is in milliseconds.
CREATE FUNCTION eventstore.append(
    lock_wait int, names text[], slices smallint[], expected bigint[], added bigint[], groups int[],
    scopes text[], keys text[], requests bytea[], responses bytea[],
    of_stream int[], nth bigint[], ids uuid[], types text[], schemas smallint[], datas json[], metas json[], ats timestamptz[],
    OUT outcome text, OUT versions bigint[], OUT positions bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    fresh bigint;
BEGIN
    PERFORM set_config('lock_timeout', lock_wait::text, true);

    IF cardinality(keys) > 0 AND EXISTS (
        SELECT FROM eventstore.idempotency_keys k JOIN unnest(scopes, keys) AS u (scope, key) USING (scope, key)
    ) THEN
        outcome := 'key';
        RETURN;
    END IF;

    WITH put AS (
        INSERT INTO eventstore.streams AS s (name, slice, version)
        SELECT u.name, u.slice, u.added FROM unnest(names, slices, added) WITH ORDINALITY AS u (name, slice, added, i) ORDER BY u.i
        ON CONFLICT (name) DO UPDATE SET version = s.version + excluded.version
        WHERE expected[array_position(names, s.name)] IN (-1, s.version)
        RETURNING s.name, s.version
    )
    SELECT array_agg(put.version ORDER BY array_position(names, put.name)),
           count(*) FILTER (WHERE expected[array_position(names, put.name)] IN (-1, put.version - added[array_position(names, put.name)]))
    INTO versions, fresh FROM put;

    IF fresh < cardinality(names) THEN
        IF cardinality(names) = 1 AND versions IS NULL THEN
            outcome := 'conflict';
            SELECT ARRAY[s.version] INTO versions FROM eventstore.streams s WHERE s.name = names[1];
            RETURN;
        END IF;
        RAISE EXCEPTION 'a stream is not at its expected version' USING ERRCODE = 'ES001';
    END IF;

    IF cardinality(keys) > 0 THEN
        INSERT INTO eventstore.idempotency_keys (scope, key, request, response)
        SELECT * FROM unnest(scopes, keys, requests, responses) AS u (scope, key, request, response) ORDER BY u.scope, u.key
        ON CONFLICT DO NOTHING;
        GET DIAGNOSTICS fresh = ROW_COUNT;
        IF fresh < cardinality(keys) THEN
            RAISE EXCEPTION 'an idempotency key was used meanwhile' USING ERRCODE = 'ES001';
        END IF;
    END IF;

    outcome := 'done';
    IF cardinality(ids) = 0 THEN
        RETURN;
    END IF;

    PERFORM eventstore.mark(groups);

    WITH put AS (
        INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
        SELECT nextval('eventstore.position'), slices[u.s], u.schema, versions[u.s] - added[u.s] + u.nth,
               u.id, u.at, names[u.s], u.type, u.data, u.meta
        FROM unnest(of_stream, nth, ids, types, schemas, datas, metas, ats)
             WITH ORDINALITY AS u (s, nth, id, type, schema, data, meta, at, i)
        ORDER BY u.i
        RETURNING position
    )
    SELECT array_agg(put.position) INTO positions FROM put;
END $$;
