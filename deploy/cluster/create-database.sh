#!/bin/sh
# Patroni runs it once, on the first primary, with the address of the new cluster.
set -eu
psql "$1" --no-psqlrc --set ON_ERROR_STOP=1 --set password="$DATABASE_PASSWORD" <<'SQL'
CREATE ROLE varve LOGIN PASSWORD :'password';
CREATE DATABASE varve OWNER varve TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C';
SQL
