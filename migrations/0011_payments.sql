-- What the shop remembers of its calls to the payment provider. None of it is history: that stands in the log.

-- Where a payment is paid, as the provider answered, so that asking again opens no second bill.
CREATE TABLE payment_links (
    payment_id text        PRIMARY KEY,
    url        text        NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

-- Money that is to be given back. A row is written before the provider is asked and done once the log has the refund,
-- so that a crash between the two is found and gone on with.
CREATE TABLE payment_refunds (
    -- The provider's idempotency key.
    id         text        PRIMARY KEY,
    order_id   uuid        NOT NULL,
    payment_id text        NOT NULL,
    amount     bigint      NOT NULL CONSTRAINT amount_is_positive CHECK (amount > 0),
    actor      text        NOT NULL,
    created_at timestamptz NOT NULL,
    -- Calls made so far, and when the next may be.
    tries      integer     NOT NULL DEFAULT 0,
    next_at    timestamptz NOT NULL,
    -- null: not done yet.
    done_at    timestamptz
);
CREATE INDEX payment_refunds_due ON payment_refunds (next_at) WHERE done_at IS NULL;
CREATE INDEX payment_refunds_of_order ON payment_refunds (order_id);

-- When an open payment is asked for next. A payment without a row was not asked for yet.
CREATE TABLE payment_questions (
    payment_id text        PRIMARY KEY,
    asked      integer     NOT NULL,
    next_at    timestamptz NOT NULL
);
CREATE INDEX payment_questions_by_time ON payment_questions (next_at);
