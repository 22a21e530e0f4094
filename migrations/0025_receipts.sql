-- A bill can be paid more than once, so a refund names the capture that it is of. And a refund that is asked for again is looked
-- for at the provider first, so each of the provider's refunds is one of ours at most.

-- The receipt of the money; empty: what was recorded before receipts.
ALTER TABLE payment_refunds ADD COLUMN receipt text NOT NULL DEFAULT '';
-- The provider's name of the refund; null: not known, or recorded before this column.
ALTER TABLE payment_refunds ADD COLUMN refund_id text;
