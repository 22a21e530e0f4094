#!/bin/bash
# A standby of the server "postgres": copied from it when its volume is empty, then streaming.
set -e
export PGDATA=/var/lib/postgresql/18/docker
if [ ! -s "$PGDATA/PG_VERSION" ]; then
  mkdir -p "$PGDATA"
  chmod 700 "$PGDATA"
  PGPASSWORD="$REPLICATION_PASSWORD" pg_basebackup --host postgres --username replicator --pgdata "$PGDATA" --wal-method stream --checkpoint fast
  touch "$PGDATA/standby.signal"
fi
# One that was promoted has no standby.signal and starts as what it is.
exec postgres -c "primary_conninfo=host=postgres user=replicator password=$REPLICATION_PASSWORD application_name=$STANDBY_NAME" \
  -c listen_addresses='*' -c hot_standby_feedback=on -c max_standby_streaming_delay=1s -c wal_receiver_timeout=5s -c max_connections=200 -c shared_buffers=256MB
