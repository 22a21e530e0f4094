-- That a letter was sent which an event called for: neither to whom nor what it said.
CREATE TABLE mail_sent (
    -- The event's id.
    id      uuid        PRIMARY KEY,
    kind    text        NOT NULL,
    sent_at timestamptz NOT NULL
);
CREATE INDEX mail_sent_by_time ON mail_sent (sent_at);
