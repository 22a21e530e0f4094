-- Letters that were not sent yet. A sent one leaves nothing behind.
CREATE TABLE mail_jobs (
    -- The event's id where there is one; the Message-ID is made of it.
    id          uuid        PRIMARY KEY,
    kind        text        NOT NULL,
    -- Whose erasure takes the letter back.
    person      uuid,
    -- The event that calls for it: recipient and content are read from the log when it is sent ...
    stream      text,
    version     bigint,
    -- ... or both sealed, where no event has them.
    sealed      bytea,
    created_at  timestamptz NOT NULL,
    due_at      timestamptz NOT NULL,
    expires_at  timestamptz,
    attempts    integer     NOT NULL DEFAULT 0,
    -- Without recipient and content.
    error       text,
    -- Dead: nobody tries any more until somebody says so.
    dead_at     timestamptz,
    -- Skipped: staff gave it up, for a reason.
    skipped_at  timestamptz,
    skipped_by  text,
    reason      text,
    CONSTRAINT letter_is_of_an_event_or_sealed CHECK ((stream IS NULL) = (version IS NULL) AND (sealed IS NULL OR stream IS NULL)),
    CONSTRAINT letter_has_something_to_say CHECK (stream IS NOT NULL OR sealed IS NOT NULL OR skipped_at IS NOT NULL),
    CONSTRAINT skipped_are_dead_with_a_reason CHECK (skipped_at IS NULL OR dead_at IS NOT NULL AND skipped_by IS NOT NULL AND reason IS NOT NULL)
);
CREATE INDEX mail_jobs_due ON mail_jobs (due_at) WHERE dead_at IS NULL;
CREATE INDEX mail_jobs_by_person ON mail_jobs (person) WHERE person IS NOT NULL;

-- When this database began to send letters: what happened before was told by others, or never.
CREATE TABLE mail_start (
    one boolean     PRIMARY KEY DEFAULT true,
    at  timestamptz NOT NULL,
    CONSTRAINT there_is_one_start CHECK (one)
);
