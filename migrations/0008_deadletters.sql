-- What staff did to consumers of the log, and why. Rows are only ever added.
CREATE TABLE eventstore.consumer_actions (
    id       bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at       timestamptz NOT NULL DEFAULT now(),
    -- staff:<id>, cli:<user of the system>, system:<part>
    actor    text        NOT NULL,
    action   text        NOT NULL,
    consumer text        NOT NULL,
    -- position is the event skipped; streams are those tried again, empty: all.
    position bigint,
    streams  text[]      NOT NULL DEFAULT '{}',
    reason   text        NOT NULL DEFAULT '',
    -- events is how many the action concerned.
    events   bigint      NOT NULL DEFAULT 0,
    -- build is the build of a read model that the action was about.
    build    text,
    CONSTRAINT somebody_acts CHECK (actor <> ''),
    CONSTRAINT skip_names_event_and_reason CHECK (action <> 'skip' OR position IS NOT NULL AND reason <> '')
);
CREATE INDEX consumer_actions_by_consumer ON eventstore.consumer_actions (consumer, id);

-- The slowest statements, where the server has the extension and lets us make it. A shop without it works as well.
DO $$
BEGIN
    IF EXISTS (SELECT FROM pg_available_extensions WHERE name = 'pg_stat_statements') THEN
        CREATE EXTENSION IF NOT EXISTS pg_stat_statements WITH SCHEMA public;
    END IF;
EXCEPTION WHEN insufficient_privilege OR feature_not_supported OR object_not_in_prerequisite_state THEN
    RAISE NOTICE 'pg_stat_statements is not made: %', SQLERRM;
END $$;
