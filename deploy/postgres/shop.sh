#!/bin/bash
# PostgreSQL's image runs this once, in an empty volume: the shop's own database, a role that owns it, migrates and builds read
# models, and a role that serves. Neither is a superuser; who serves can change no event.
set -e
psql --no-psqlrc --variable ON_ERROR_STOP=1 --variable password="$SHOP_DATABASE_PASSWORD" --variable owner_password="$SHOP_OWNER_PASSWORD" --username "$POSTGRES_USER" --dbname postgres <<'SQL'
CREATE ROLE shop_owner LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'owner_password';
CREATE ROLE shop LOGIN NOSUPERUSER NOCREATEDB NOCREATEROLE NOREPLICATION NOBYPASSRLS PASSWORD :'password';
CREATE DATABASE shop OWNER shop_owner;
REVOKE CONNECT ON DATABASE shop FROM PUBLIC;
GRANT pg_read_all_stats, pg_signal_backend TO shop_owner, shop
SQL
