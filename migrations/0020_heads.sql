-- Heads that a crash of the server cannot take back.
--
-- Until now the head was the sequence's present value. nextval brings the sequence to the WAL once in 32 calls, and only a
-- commit brings the WAL to the disk: when the server crashed before anybody committed, the sequence fell back, and positions
-- that readers had passed were given out again. The events there were lost to every reader that had passed them.
--
-- The head is now the highest position that is visible. What is visible is committed and therefore on disk, and the record
-- of the sequence that covers it was written before it: no position at or below it is given out again, even after a crash.
-- It has to be read before the markers: an appender below it that is not visible took its marker earlier and holds it still.

-- heads reads, in this order, the highest visible position and the least marker of each slice group that has one.
CREATE OR REPLACE FUNCTION eventstore.heads(OUT last bigint, OUT groups int[], OUT markers bigint[])
LANGUAGE plpgsql AS $$
BEGIN
    last := coalesce((SELECT max(e.position) FROM eventstore.events e), 0);

    -- A marker's key is 69 << 56 | group << 48 | position; pg_locks shows its halves as classid and objid.
    SELECT array_agg(m.grp), array_agg(m.least) INTO groups, markers
    FROM (
        SELECT ((l.classid::bigint >> 16) & 255)::int AS grp,
               min(((l.classid::bigint & 65535) << 32) | l.objid::bigint) AS least
        FROM pg_locks l
        WHERE l.locktype = 'advisory' AND l.objsubid = 1 AND l.granted
          AND (l.classid::bigint >> 24) = 69
          AND l.database = (SELECT d.oid FROM pg_database d WHERE d.datname = current_database())
        GROUP BY 1
    ) m;
END $$;
