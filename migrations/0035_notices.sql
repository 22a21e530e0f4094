-- What staff are told at once, by whom it is chosen and on which way it is. All of it is state, not history.

-- When this database began to tell staff: what happened before is told to nobody.
CREATE TABLE notice_start (
    one boolean     PRIMARY KEY DEFAULT true,
    at  timestamptz NOT NULL,
    CONSTRAINT there_is_one_notice_start CHECK (one)
);

-- What a person chose. Minutes are those of the day in Almaty; quiet hours may go over midnight.
CREATE TABLE notice_people (
    account    uuid        PRIMARY KEY REFERENCES staff_accounts ON DELETE CASCADE,
    mail       text[]      NOT NULL DEFAULT '{}',
    push       text[]      NOT NULL DEFAULT '{}',
    quiet_from smallint,
    quiet_to   smallint,
    digest     boolean     NOT NULL DEFAULT false,
    language   text        NOT NULL DEFAULT 'ru',
    changed_at timestamptz NOT NULL,
    CONSTRAINT quiet_hours_begin_and_end CHECK ((quiet_from IS NULL) = (quiet_to IS NULL)),
    CONSTRAINT quiet_hours_are_of_a_day CHECK (quiet_from BETWEEN 0 AND 1439 AND quiet_to BETWEEN 0 AND 1439)
);

-- Browsers that take pushes. The address is sealed: whoever has it can write to the browser. hash is that of the address.
CREATE TABLE notice_pushes (
    id         uuid        PRIMARY KEY,
    account    uuid        NOT NULL REFERENCES staff_accounts ON DELETE CASCADE,
    hash       bytea       NOT NULL,
    sealed     bytea       NOT NULL,
    device     text        NOT NULL DEFAULT '',
    created_at timestamptz NOT NULL,
    CONSTRAINT one_row_per_push_address UNIQUE (hash)
);
CREATE INDEX notice_pushes_by_account ON notice_pushes (account);

-- Other programs that are told. Address and secret are sealed; host is what people may read of the address.
CREATE TABLE notice_hooks (
    id         uuid        PRIMARY KEY,
    name       text        NOT NULL,
    kind       text        NOT NULL,
    host       text        NOT NULL,
    sealed     bytea       NOT NULL,
    causes     text[]      NOT NULL,
    language   text        NOT NULL,
    enabled    boolean     NOT NULL,
    changed_by text        NOT NULL,
    changed_at timestamptz NOT NULL,
    CONSTRAINT hook_is_of_a_known_kind CHECK (kind IN ('json', 'telegram'))
);

-- Notices on their way. target is mail:<account>, push:<notice_pushes> or hook:<notice_hooks>; about has no personal data.
CREATE TABLE notice_jobs (
    id          uuid        PRIMARY KEY,
    notice      uuid        NOT NULL,
    target      text        NOT NULL,
    cause       text        NOT NULL,
    about       jsonb       NOT NULL,
    happened_at timestamptz NOT NULL,
    due_at      timestamptz NOT NULL,
    attempts    integer     NOT NULL DEFAULT 0,
    error       text,
    -- Told, or given up. Kept for some days, so that an event that comes again is not told again.
    done_at     timestamptz,
    dead_at     timestamptz,
    CONSTRAINT notice_ends_once CHECK (done_at IS NULL OR dead_at IS NULL)
);
CREATE INDEX notice_jobs_due ON notice_jobs (target, due_at) WHERE done_at IS NULL AND dead_at IS NULL;
CREATE INDEX notice_jobs_by_age ON notice_jobs (happened_at);

-- How a target does. While it is open nobody tries: a circuit breaker.
CREATE TABLE notice_targets (
    target     text        PRIMARY KEY,
    failures   integer     NOT NULL DEFAULT 0,
    open_until timestamptz,
    told_at    timestamptz,
    failed_at  timestamptz,
    error      text
);

-- What goes wrong now and no event tells of: told when it begins, forgotten when it ends.
CREATE TABLE notice_troubles (
    cause   text        NOT NULL,
    subject text        NOT NULL,
    since   timestamptz NOT NULL,
    CONSTRAINT one_row_per_trouble PRIMARY KEY (cause, subject)
);
