-- Under which terms a promo code was issued is looked up to explain the price of an old order; every use of the code is in
-- the same stream. Nothing else is in this index, so that other appends do not pay for it.
CREATE INDEX promocodes_issued ON eventstore.events (stream, version) WHERE type = 'promocode.issued';
