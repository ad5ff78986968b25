#!/bin/sh
# The command that clients get as the server: the tap around it, with a record file for this process.
# tapped.sh RECORDS NODE TAP SERVER [ARGUMENT...]
records=$1 node=$2 tap=$3
shift 3
exec "$node" "$tap" "$records/$$" "$@"
