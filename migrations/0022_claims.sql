-- What an append takes of a quota, such as an open order of a phone's few. A row is there only while it is held, and knows
-- of the quota no more than a keyed hash.
CREATE TABLE eventstore.claims (
    quota      bytea       NOT NULL,
    -- Who holds it, such as an order.
    owner      uuid        NOT NULL,
    amount     bigint      NOT NULL,
    claimed_at timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT one_claim_per_owner PRIMARY KEY (quota, owner),
    CONSTRAINT amount_not_negative CHECK (amount >= 0)
);
CREATE INDEX claims_by_owner ON eventstore.claims (owner);

-- claimed counts what others than the claimants hold of quotas. Those that are to be exact are locked first, in the order of
-- their keys, until the transaction ends. A lock's key has two parts: such locks are no markers of the log.
CREATE FUNCTION eventstore.claimed(quotas bytea[], exact boolean[], claimants uuid[], OUT owners bigint[], OUT amounts bigint[])
LANGUAGE plpgsql AS $$
BEGIN
    PERFORM pg_advisory_xact_lock(22, k.key) FROM (
        SELECT DISTINCT ('x' || encode(substr(u.quota, 1, 4), 'hex'))::bit(32)::int AS key
        FROM unnest(quotas, exact) AS u (quota, locked) WHERE u.locked ORDER BY 1) k;
    SELECT array_agg(n.holders ORDER BY n.i), array_agg(n.held ORDER BY n.i) INTO owners, amounts FROM (
        SELECT u.i, count(c.owner) AS holders, coalesce(sum(c.amount), 0)::bigint AS held
        FROM unnest(quotas) WITH ORDINALITY AS u (quota, i)
        LEFT JOIN eventstore.claims c ON c.quota = u.quota AND c.owner <> ALL (claimants)
        GROUP BY u.i) n;
END $$;

-- claim ends the claims of some owners and then makes others.
CREATE FUNCTION eventstore.claim(yields uuid[], quotas bytea[], of_quota int[], claimants uuid[], shares bigint[]) RETURNS void
LANGUAGE plpgsql AS $$
BEGIN
    IF cardinality(yields) > 0 THEN
        DELETE FROM eventstore.claims c WHERE c.owner = ANY (yields);
    END IF;
    IF cardinality(of_quota) > 0 THEN
        INSERT INTO eventstore.claims AS c (quota, owner, amount)
        SELECT quotas[u.q], u.claimant, u.share FROM unnest(of_quota, claimants, shares) AS u (q, claimant, share) ORDER BY 1, 2
        ON CONFLICT (quota, owner) DO UPDATE SET amount = excluded.amount;
    END IF;
END $$;

-- append_claiming is eventstore.append of a group that takes of quotas or gives back. Claim i takes shares[i] of
-- quotas[of_quota[i]] (from 1) for claimants[i]; a quota bears most_owners and most_amounts.
-- outcome: 'full', when the claims do not all fit, and nothing was written; else that of eventstore.append.
CREATE FUNCTION eventstore.append_claiming(
    quotas bytea[], exact boolean[], most_owners bigint[], most_amounts bigint[],
    of_quota int[], claimants uuid[], shares bigint[], yields uuid[],
    lock_wait int, names text[], slices smallint[], expected bigint[], added bigint[], groups int[],
    scopes text[], keys text[], requests bytea[], responses bytea[],
    of_stream int[], nth bigint[], ids uuid[], types text[], schemas smallint[], datas json[], metas json[], ats timestamptz[],
    OUT outcome text, OUT versions bigint[], OUT positions bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    held record;
BEGIN
    PERFORM set_config('lock_timeout', lock_wait::text, true);
    IF cardinality(quotas) > 0 THEN
        SELECT c.owners, c.amounts INTO held FROM eventstore.claimed(quotas, exact, claimants) c;
        IF EXISTS (
            SELECT FROM unnest(held.owners, held.amounts, most_owners, most_amounts) WITH ORDINALITY AS q (holders, amount, bears, most, i)
            JOIN (SELECT u.q, count(*) AS holders, sum(u.share) AS amount FROM unnest(of_quota, shares) AS u (q, share) GROUP BY u.q) n ON n.q = q.i
            WHERE q.holders + n.holders > q.bears OR q.amount + n.amount > q.most
        ) THEN
            outcome := 'full';
            RETURN;
        END IF;
    END IF;

    SELECT a.outcome, a.versions, a.positions INTO outcome, versions, positions
    FROM eventstore.append(lock_wait, names, slices, expected, added, groups, scopes, keys, requests, responses,
        of_stream, nth, ids, types, schemas, datas, metas, ats) a;
    IF outcome = 'done' THEN
        PERFORM eventstore.claim(yields, quotas, of_quota, claimants, shares);
    END IF;
END $$;

-- When an address that nobody proved may get the next letter of a kind that anybody can call for. A row goes soon after that
-- time; the address is a keyed hash.
CREATE TABLE mail_paces (
    address bytea       NOT NULL,
    kind    text        NOT NULL,
    -- The letter that was sent: trying again to send it is no second one.
    letter  uuid        NOT NULL,
    next_at timestamptz NOT NULL,
    CONSTRAINT one_pace_per_kind PRIMARY KEY (address, kind)
);
-- Until when a letter waits for its address's pace; it is not late before.
ALTER TABLE mail_jobs ADD COLUMN held_until timestamptz;
