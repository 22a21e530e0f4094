#!/bin/bash
# PostgreSQL's image runs this once, after shop.sh: a role that standbys stream as.
set -e
psql --no-psqlrc --variable ON_ERROR_STOP=1 --variable password="$REPLICATION_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE replicator LOGIN REPLICATION NOSUPERUSER NOCREATEDB NOCREATEROLE PASSWORD :'password';
SQL
echo "host replication replicator samenet scram-sha-256" >> "$PGDATA/pg_hba.conf"
