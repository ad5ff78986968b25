#!/bin/sh
# Starts rr-warden in its own systemd scope, so that everything it starts shares one limit on memory,
# processor time and processes. Give this script as the command in the agent's host:
#
#   claude mcp add --scope user rr -- /path/to/systemd-limits.sh
#
# A scope keeps standard input and output, which the protocol needs.
exec systemd-run --user --scope --quiet --collect \
	--property=MemoryMax=8G --property=MemorySwapMax=0 \
	--property=CPUQuota=200% --property=TasksMax=512 \
	rr-warden "$@"
