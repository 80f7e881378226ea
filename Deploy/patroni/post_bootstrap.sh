#!/bin/sh
# Called once by Patroni with the superuser's connection string: the role and the database of Stoa.
set -e
psql -q -v ON_ERROR_STOP=1 -d "$1" <<SQL
CREATE ROLE stoa LOGIN PASSWORD '@PASSWORD@';
CREATE DATABASE stoa OWNER stoa;
SQL
psql -q -v ON_ERROR_STOP=1 -d "$1 dbname=stoa" -c 'CREATE EXTENSION IF NOT EXISTS pg_trgm'
