-- How read models are made anew beside the live ones; package projections says how. The read models themselves have a
-- schema each, named like the projection.
CREATE SCHEMA projections;

-- A build makes a read model anew in a schema of its own. Whoever holds its lease works on it: leased_until is by the
-- database's clock, and the term grows with every holder, so that one who lost the lease can write nothing any more.
CREATE TABLE projections.builds (
    id           bigint      GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    projection   text        NOT NULL,
    kind         text        NOT NULL,
    -- version and fingerprint are of the definition it is built from: only a program that has the same can work on it.
    version      integer     NOT NULL,
    fingerprint  text        NOT NULL,
    schema       text        NOT NULL,
    state        text        NOT NULL DEFAULT 'waiting',
    phase        text        NOT NULL DEFAULT 'fold',
    -- made: the schema's tables exist; indexed: its indexes do.
    made         boolean     NOT NULL DEFAULT false,
    indexed      boolean     NOT NULL DEFAULT false,
    auto_swap    boolean     NOT NULL DEFAULT false,
    accept       boolean     NOT NULL DEFAULT false,
    -- target is the last position to fold: fixed for as-of, otherwise where the log ended when somebody last looked.
    target       bigint      NOT NULL DEFAULT 0,
    as_of        timestamptz,
    progress     real        NOT NULL DEFAULT 0,
    rate         real        NOT NULL DEFAULT 0,
    eta_seconds  real,
    actor        text        NOT NULL DEFAULT '',
    error        text        NOT NULL DEFAULT '',
    report       jsonb,
    lock_seconds real,
    holder       text,
    term         bigint      NOT NULL DEFAULT 0,
    leased_until timestamptz NOT NULL DEFAULT '-infinity',
    started_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now(),
    finished_at  timestamptz,
    CONSTRAINT known_kind CHECK (kind IN ('rebuild', 'verify', 'as-of')),
    CONSTRAINT known_state CHECK (state IN ('waiting', 'running', 'paused', 'ready', 'swapping', 'done', 'failed', 'cancelled')),
    CONSTRAINT known_phase CHECK (phase IN ('fold', 'index', 'catch-up', 'verify', 'swap')),
    CONSTRAINT finished_has_a_time CHECK ((finished_at IS NULL) = (state NOT IN ('done', 'failed', 'cancelled')))
);
CREATE UNIQUE INDEX one_unfinished_build_per_schema ON projections.builds (schema) WHERE finished_at IS NULL;
CREATE INDEX builds_of_projection ON projections.builds (projection, id DESC);

-- Where each range of a build has come, written with the rows folded up to there. The term is its holder's.
CREATE TABLE projections.build_ranges (
    build    bigint   NOT NULL REFERENCES projections.builds ON DELETE CASCADE,
    range    smallint NOT NULL,
    position bigint   NOT NULL DEFAULT 0,
    events   bigint   NOT NULL DEFAULT 0,
    term     bigint   NOT NULL DEFAULT 0,
    CONSTRAINT one_place_per_range PRIMARY KEY (build, range)
) WITH (fillfactor = 50);

-- The schemas that hold read models: the live ones, those they replaced (kept to go back to), and those as of a
-- position. ranges is where each range stood, from range 0; null for a live one, whose checkpoints say it.
CREATE TABLE projections.models (
    schema      text        PRIMARY KEY,
    projection  text        NOT NULL,
    role        text        NOT NULL,
    version     integer     NOT NULL,
    fingerprint text        NOT NULL,
    ranges      bigint[],
    -- letters are the dead letters of a previous one: what is missing in it.
    letters     json        NOT NULL DEFAULT '[]',
    position    bigint,
    as_of       timestamptz,
    made_at     timestamptz NOT NULL DEFAULT now(),
    replaced_at timestamptz,
    CONSTRAINT known_role CHECK (role IN ('live', 'previous', 'as-of')),
    CONSTRAINT as_of_has_a_position CHECK ((role = 'as-of') = (position IS NOT NULL))
);
CREATE UNIQUE INDEX one_live_and_one_previous ON projections.models (projection, role) WHERE role <> 'as-of';

-- A consumer's edition is what its tables are made from; a process with another one leaves its checkpoints alone.
-- Empty: anybody's.
ALTER TABLE eventstore.checkpoints ADD COLUMN edition text NOT NULL DEFAULT '';
