-- Which server this is, so that a process notices when its connections lead to another one.
--
-- A standby that is promoted after its primary was lost may lack the end of the log, and so does a server restored from a
-- backup. Its positions are then given out again, for other events. A process that knows the lost events must not go on with
-- what it has in memory. A standby also has no locks of appenders: what is visible there is not what is safe to read.

-- server names the server and its history: the identifier that initdb gives, and the timeline, which each promotion and each
-- restore to a point in time raises. It refuses a server in recovery.
CREATE FUNCTION eventstore.server(OUT system bigint, OUT timeline bigint)
LANGUAGE plpgsql AS $$
BEGIN
    IF pg_is_in_recovery() THEN
        RAISE EXCEPTION 'the server is a standby (in recovery): connect to the primary, or name all servers with target_session_attrs=read-write'
            USING ERRCODE = 'read_only_sql_transaction';
    END IF;
    SELECT c.system_identifier INTO system FROM pg_control_system() c;
    -- The control file's timeline is older until the first checkpoint after a promotion.
    timeline := ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::bigint;
END $$;

-- heads as before, with the id of the event at the highest position, and the server.
DROP FUNCTION eventstore.heads();
CREATE FUNCTION eventstore.heads(OUT last bigint, OUT groups int[], OUT markers bigint[], OUT last_id uuid, OUT system bigint, OUT timeline bigint)
LANGUAGE plpgsql AS $$
BEGIN
    SELECT s.system, s.timeline INTO system, timeline FROM eventstore.server() s;

    SELECT e.position, e.id INTO last, last_id FROM eventstore.events e ORDER BY e.position DESC LIMIT 1;
    last := coalesce(last, 0);

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
