-- The sequence's present value, read as the server itself reads it.
--
-- A plain SELECT from the sequence looks at its row without a lock, and nextval shows there, while it writes to the WAL
-- once in 32 calls, a value up to 32 ahead of what it has given out. A reader that took such a value for the present one
-- passed positions that were not allocated yet, and lost their events.

-- present is such that everything at or below it has been allocated, and everything allocated from now on lies above.
CREATE FUNCTION eventstore.present() RETURNS bigint
LANGUAGE plpgsql AS $$
DECLARE
    value bigint := pg_sequence_last_value('eventstore.position'); -- under the sequence's lock; null before the first call
BEGIN
    IF value IS NULL THEN
        -- Nothing was allocated since the log began, or was brought here with its positions.
        value := coalesce((SELECT max(e.position) FROM eventstore.events e), 0);
    END IF;
    RETURN value;
END $$;

CREATE OR REPLACE FUNCTION eventstore.heads(OUT last bigint, OUT groups int[], OUT markers bigint[])
LANGUAGE plpgsql AS $$
BEGIN
    last := eventstore.present();

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

CREATE OR REPLACE FUNCTION eventstore.mark(groups int[]) RETURNS void
LANGUAGE plpgsql AS $$
DECLARE
    present bigint := eventstore.present();
BEGIN
    PERFORM pg_advisory_xact_lock_shared((69::bigint << 56) | (g::bigint << 48) | present) FROM unnest(groups) g;
END $$;

CREATE OR REPLACE FUNCTION eventstore.append_one(
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
    present := eventstore.present();
    nothing := pg_advisory_xact_lock_shared((69::bigint << 56) | (of_group::bigint << 48) | present)::text;

    INSERT INTO eventstore.events (position, slice, schema, version, id, recorded_at, stream, type, data, metadata)
    VALUES (nextval('eventstore.position'), of_slice, of_schema, reached, event, at, of_stream, of_type, payload, about)
    RETURNING events.position INTO placed;
END $$;
