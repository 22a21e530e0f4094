-- A region's copy of the log. It has rows here, one for each range of slices; a log that is written to has none.
CREATE TABLE eventstore.copied (
    range    smallint    PRIMARY KEY,
    -- Every event of the range up to position is here; last is the last of them.
    position bigint      NOT NULL DEFAULT 0,
    last     bigint      NOT NULL DEFAULT 0,
    -- The history that the positions are of, and the place in the stream of JetStream that was made at that time.
    epoch    text        NOT NULL,
    made     timestamptz NOT NULL,
    seq      bigint      NOT NULL DEFAULT 0,
    CONSTRAINT last_is_complete CHECK (last <= position)
) WITH (fillfactor = 50);

-- Regions ask who was erased lately.
CREATE INDEX person_keys_erased ON eventstore.person_keys (erased_at) WHERE erased_at IS NOT NULL;

-- heads as before; in a copy, the ranges are safe as far as they are complete. Nobody appends there.
CREATE OR REPLACE FUNCTION eventstore.heads(OUT last bigint, OUT groups int[], OUT markers bigint[], OUT last_id uuid, OUT system bigint, OUT timeline bigint)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT s.system, s.timeline INTO system, timeline FROM eventstore.server() s;

    -- Before the events: what is complete is visible.
    SELECT array_agg(c.range * 4 + g), array_agg(c.position) INTO groups, markers
    FROM eventstore.copied c, generate_series(0, 3) g;

    SELECT e.position, e.id INTO last, last_id FROM eventstore.events e ORDER BY e.position DESC LIMIT 1;
    last := coalesce(last, 0);
    IF groups IS NOT NULL THEN
        RETURN;
    END IF;

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

-- Nobody writes into a copy by mistake: an append there would give out positions that the home region gives out too.
CREATE FUNCTION eventstore.refuse_in_copy() RETURNS trigger
LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM eventstore.copied) THEN
        RAISE EXCEPTION 'this database holds a copy of the log: commands go to the home region' USING ERRCODE = 'read_only_sql_transaction';
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER no_appends_in_a_copy BEFORE INSERT ON eventstore.streams FOR EACH STATEMENT EXECUTE FUNCTION eventstore.refuse_in_copy();
