-- Appends with less work in the server. The steps and their order are those of before: lock the streams by name, read the
-- sequence's present value, take the markers, then nextval and insert.

-- PostgreSQL parses a table's checks from their stored text in each statement that changes a row: a fifth of what an append of
-- one event did in these functions. A version only grows by what is added, and `make hostile` compares the rows with the log.
ALTER TABLE eventstore.streams DROP CONSTRAINT slice_in_range, DROP CONSTRAINT version_not_negative;

-- append_event writes one event in as little work as there is: the append a shop makes most often. It returns the stream's
-- version after it and the event's position; or, when the stream is not at the version expected, only where it is. An array
-- costs less than a row. lock_wait is in milliseconds. append_one, which it replaces, is there for programs of before.
CREATE FUNCTION eventstore.append_event(
    lock_wait int, of_stream text, of_slice smallint, expected bigint, of_group int,
    event uuid, of_type text, of_schema smallint, payload json, about json, at timestamptz) RETURNS bigint[]
LANGUAGE plpgsql AS $$
DECLARE
    reached bigint;
    placed bigint;
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
        RETURN ARRAY[coalesce((SELECT s.version FROM eventstore.streams s WHERE s.name = of_stream), 0)];
    END IF;

    -- The marker, as eventstore.mark takes it. The value is null before the sequence's first call.
    nothing := pg_advisory_xact_lock_shared((69::bigint << 56) | (of_group::bigint << 48)
        | coalesce(pg_sequence_last_value('eventstore.position'), eventstore.present()))::text;

    INSERT INTO eventstore.events AS e (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
    VALUES (nextval('eventstore.position'), of_slice, of_schema, reached, event, at, of_stream, of_type, payload, about)
    RETURNING e.position INTO placed;
    RETURN ARRAY[reached, placed];
END $$;

-- append as before, for programs of before and of now. Each statement reads one array and looks into the others; a sequence of
-- numbers instead would be planned again with each call, because PostgreSQL cannot know its length.
CREATE OR REPLACE FUNCTION eventstore.append(
    lock_wait int, names text[], slices smallint[], expected bigint[], added bigint[], groups int[],
    scopes text[], keys text[], requests bytea[], responses bytea[],
    of_stream int[], nth bigint[], ids uuid[], types text[], schemas smallint[], datas json[], metas json[], ats timestamptz[],
    OUT outcome text, OUT versions bigint[], OUT positions bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    fresh bigint;
    present bigint;
    of_group int;
    nothing text; -- an assignment costs less than a PERFORM
BEGIN
    nothing := set_config('lock_timeout', lock_wait::text, true);

    IF cardinality(keys) > 0 THEN -- apart from the query, which would run in any case
        IF EXISTS (SELECT FROM eventstore.idempotency_keys k JOIN unnest(scopes, keys) AS u (scope, key) USING (scope, key)) THEN
            outcome := 'key';
            RETURN;
        END IF;
    END IF;

    -- Of several streams, one that is not at its version raises below, which undoes the others; of a single one it is answered
    -- without a trace. The rows come back in the order they went in.
    WITH put AS (
        INSERT INTO eventstore.streams AS s (name, slice, version)
        SELECT names[u.i], slices[u.i], u.added FROM unnest(added) WITH ORDINALITY AS u (added, i) ORDER BY u.i
        ON CONFLICT (name) DO UPDATE SET version = s.version + excluded.version
        WHERE cardinality(names) > 1 OR expected[1] IN (-1, s.version)
        RETURNING s.version
    )
    SELECT array_agg(put.version), count(*) INTO versions, fresh FROM put;

    FOR i IN 1 .. fresh LOOP
        IF expected[i] NOT IN (-1, versions[i] - added[i]) THEN
            fresh := 0;
        END IF;
    END LOOP;

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

    -- The markers, as eventstore.mark takes them.
    present := coalesce(pg_sequence_last_value('eventstore.position'), eventstore.present());
    FOREACH of_group IN ARRAY groups LOOP
        nothing := pg_advisory_xact_lock_shared((69::bigint << 56) | (of_group::bigint << 48) | present)::text;
    END LOOP;

    WITH put AS (
        INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
        SELECT nextval('eventstore.position'), slices[u.s], schemas[u.i], versions[u.s] - added[u.s] + nth[u.i],
               ids[u.i], ats[u.i], names[u.s], types[u.i], datas[u.i], metas[u.i]
        FROM (SELECT u.s, u.i FROM unnest(of_stream) WITH ORDINALITY AS u (s, i) ORDER BY u.i) u
        RETURNING position
    )
    SELECT array_agg(put.position) INTO positions FROM put;
END $$;
