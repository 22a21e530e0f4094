-- append_keyed is eventstore.append_claiming of a group that speaks of persons for the first time: their keys are written in the
-- transaction of the events that they seal. ES001 when a person has a key already: nothing was written.
CREATE FUNCTION eventstore.append_keyed(
    persons uuid[], person_keys bytea[],
    quotas bytea[], exact boolean[], most_owners bigint[], most_amounts bigint[],
    of_quota int[], claimants uuid[], shares bigint[], yields uuid[],
    lock_wait int, names text[], slices smallint[], expected bigint[], added bigint[], groups int[],
    scopes text[], keys text[], requests bytea[], responses bytea[],
    of_stream int[], nth bigint[], ids uuid[], types text[], schemas smallint[], datas json[], metas json[], ats timestamptz[],
    OUT outcome text, OUT versions bigint[], OUT positions bigint[])
LANGUAGE plpgsql AS $$
DECLARE
    made bigint;
BEGIN
    SELECT a.outcome, a.versions, a.positions INTO outcome, versions, positions
    FROM eventstore.append_claiming(quotas, exact, most_owners, most_amounts, of_quota, claimants, shares, yields,
        lock_wait, names, slices, expected, added, groups, scopes, keys, requests, responses,
        of_stream, nth, ids, types, schemas, datas, metas, ats) a;
    IF outcome <> 'done' THEN
        RETURN;
    END IF;
    INSERT INTO eventstore.person_keys (person, key)
    SELECT u.person, u.key FROM unnest(persons, person_keys) AS u (person, key) ORDER BY u.person
    ON CONFLICT DO NOTHING;
    GET DIAGNOSTICS made = ROW_COUNT;
    IF made < cardinality(persons) THEN
        RAISE EXCEPTION 'a person has a key already' USING ERRCODE = 'ES001';
    END IF;
END $$;
