-- Who of staff has which thing open now. Browsers say it again every few seconds, so a crash may empty the table.
CREATE UNLOGGED TABLE staff_presence (
    account  uuid        NOT NULL REFERENCES staff_accounts ON DELETE CASCADE,
    -- Where: the sort of thing, and its id.
    thing    text        NOT NULL,
    id       text        NOT NULL,
    -- Something of it is changed and not saved.
    editing  boolean     NOT NULL,
    since    timestamptz NOT NULL,
    seen_at  timestamptz NOT NULL,
    CONSTRAINT one_row_per_person_and_thing PRIMARY KEY (thing, id, account)
);
