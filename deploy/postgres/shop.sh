#!/bin/bash
# PostgreSQL's image runs this once, in an empty volume: the shop's own database, and a role that owns it and is no superuser.
set -e
psql --no-psqlrc --variable ON_ERROR_STOP=1 --variable password="$SHOP_DATABASE_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE shop LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE shop OWNER shop;
REVOKE CONNECT ON DATABASE shop FROM PUBLIC;
GRANT pg_read_all_stats TO shop
SQL
