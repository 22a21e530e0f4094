-- Several processes share the consumers' work. A range of a consumer belongs to the process named as its holder for as
-- long as that process renews its row below, one small update for everything it holds. Whoever takes a range over from a
-- holder that fell silent, or finds it free, writes its own name and the next term; the term is compared when the checkpoint
-- moves, and so a former holder that wakes up can write nothing.

-- A process that takes part. Unlogged: after a crash of the server every process says again that it lives.
CREATE UNLOGGED TABLE eventstore.processes (
    holder     text        PRIMARY KEY,
    roles      text[]      NOT NULL,
    -- What it can hold: consumers, and leases of the table below.
    consumers  text[]      NOT NULL,
    started_at timestamptz NOT NULL,
    seen_at    timestamptz NOT NULL,
    -- By the server's clock; the clocks of processes are never compared.
    until      timestamptz NOT NULL
) WITH (fillfactor = 50);

-- null: free.
ALTER TABLE eventstore.checkpoints ADD COLUMN holder text;

-- Work that is not a consumer's and that one process at a time does.
CREATE TABLE eventstore.leases (
    name   text   PRIMARY KEY,
    holder text,
    term   bigint NOT NULL DEFAULT 0
) WITH (fillfactor = 50);
