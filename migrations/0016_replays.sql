-- What analysts asked to be priced under other rules. The id is made of the rules and the position, so the same question
-- has one row; rules are all of those tried, overrides what was asked for over the rules in force at the position.
CREATE TABLE projections.replays (
    id          text        PRIMARY KEY,
    rules       json        NOT NULL,
    overrides   json        NOT NULL,
    position    bigint      NOT NULL,
    state       text        NOT NULL DEFAULT 'queued',
    stage       text        NOT NULL DEFAULT 'read',
    done        bigint      NOT NULL DEFAULT 0,
    total       bigint      NOT NULL DEFAULT 0,
    -- report is null until it is done, and again when it was dropped to make room; it can be computed again.
    report      json,
    error       text        NOT NULL DEFAULT '',
    created_at  timestamptz NOT NULL DEFAULT now(),
    created_by  text        NOT NULL,
    -- asked_at is the place in the queue.
    asked_at    timestamptz NOT NULL DEFAULT now(),
    -- holder works on it and says so by alive_at; when that is old, another may take it.
    holder      uuid,
    alive_at    timestamptz,
    finished_at timestamptz,
    CONSTRAINT known_state CHECK (state IN ('queued', 'running', 'done', 'cancelled', 'failed')),
    CONSTRAINT known_stage CHECK (stage IN ('read', 'price')),
    CONSTRAINT finished_has_a_time CHECK ((finished_at IS NULL) = (state IN ('queued', 'running')))
) WITH (fillfactor = 50);
CREATE INDEX replays_unfinished ON projections.replays (asked_at) WHERE finished_at IS NULL;
CREATE INDEX replays_by_age ON projections.replays (created_at DESC);
