#!/bin/sh
# The command clients are given as the server: the tap around it, with a record file for this process.
# tapped.sh RECORDS NODE TAP SERVER [ARGUMENT...]
records=$1 node=$2 tap=$3
shift 3
exec "$node" "$tap" "$records/$$" "$@"
