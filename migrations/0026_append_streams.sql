-- append for groups of many streams: each stream is looked up by its place, not searched for. With a thousand streams the
-- search took most of the time. Nothing else changes: it is the function of 0001, and append_claiming goes on calling it.
CREATE OR REPLACE FUNCTION eventstore.append(
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

    -- Of several streams, one that is not at its version raises below, which undoes the others; of a single one it is answered
    -- without a trace. The rows come back in the order they went in.
    WITH put AS (
        INSERT INTO eventstore.streams AS s (name, slice, version)
        SELECT u.name, u.slice, u.added FROM unnest(names, slices, added) WITH ORDINALITY AS u (name, slice, added, i) ORDER BY u.i
        ON CONFLICT (name) DO UPDATE SET version = s.version + excluded.version
        WHERE cardinality(names) > 1 OR expected[1] IN (-1, s.version)
        RETURNING s.version
    )
    SELECT array_agg(put.version) INTO versions FROM put;

    SELECT count(*) INTO fresh FROM unnest(versions, expected, added) AS u (version, expected, added)
    WHERE u.expected IN (-1, u.version - u.added);

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
