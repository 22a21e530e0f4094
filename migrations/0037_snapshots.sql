-- States of long streams, so that a process that has just started reads only what came after. A snapshot is no history: rows may
-- be deleted at any time. Only states without personal fields are here.
CREATE TABLE eventstore.snapshots (
    stream     text        NOT NULL,
    -- What the state is made of and by which fold; programs of two versions keep one each.
    shape      text        NOT NULL,
    version    bigint      NOT NULL,
    -- The event of that version: a log that went back and grew again has another one there.
    event      uuid        NOT NULL,
    -- The server that it was written on, and its timeline.
    system     bigint      NOT NULL,
    timeline   bigint      NOT NULL,
    state      bytea       NOT NULL,
    -- A hash of all the above but the server, sealed with the key file.
    sum        bytea       NOT NULL,
    written_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT one_snapshot_per_shape PRIMARY KEY (stream, shape)
);
ALTER TABLE eventstore.snapshots ALTER COLUMN state SET STORAGE EXTERNAL, ALTER COLUMN state SET STATISTICS 0;
