#!/bin/sh
# Each server has the name of its container. Passwords are in PATRONI_* variables, which Patroni reads itself.
set -eu
PATRONI_NAME=$(hostname)
PATRONI_RESTAPI_CONNECT_ADDRESS=$PATRONI_NAME:8008
PATRONI_POSTGRESQL_CONNECT_ADDRESS=$PATRONI_NAME:5432
export PATRONI_NAME PATRONI_RESTAPI_CONNECT_ADDRESS PATRONI_POSTGRESQL_CONNECT_ADDRESS
exec patroni /etc/patroni/patroni.yml
