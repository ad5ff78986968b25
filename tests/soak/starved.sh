#!/bin/sh
# The random walks of the oracle where there is no processor time: STARVED_AT_ONCE (12) of them, each with
# STARVED_MS (30) milliseconds in a second, so that every stop and every interrupt comes late. Needs root
# and cgroups, of version 1 or 2. Must leave no process and no cgroup behind. The last line is
# "N passed, N failed": walkers.
#
#	starved.sh TEST_ORACLE	environment: as for the oracle, ORACLE_SECONDS for each program (150)
set -eu

oracle=$1
at_once=${STARVED_AT_ONCE:-12}
ms=${STARVED_MS:-30}
first=${ORACLE_SEED:-1}
logs=$(mktemp -d)

fail() {
	echo "starved: $1" >&2
	exit 1
}

# Where this one can make cgroups.
groups() {
	if [ -e /sys/fs/cgroup/cpu/cpu.cfs_quota_us ]; then
		echo /sys/fs/cgroup/cpu
	elif grep -qw cpu /sys/fs/cgroup/cgroup.subtree_control 2>/dev/null; then
		echo /sys/fs/cgroup
	fi
}

limit() {
	mkdir -p "$1"
	if [ -e "$1/cpu.max" ]; then
		echo "$((ms * 1000)) 1000000" >"$1/cpu.max"
	else
		echo 1000000 >"$1/cpu.cfs_period_us"
		echo $((ms * 1000)) >"$1/cpu.cfs_quota_us"
	fi
}

# Also those that a failure has left.
end_all() {
	for group in "$parent/starved-$$-"*; do
		[ -d "$group" ] || continue
		while read -r pid; do kill -KILL "$pid" 2>/dev/null || :; done <"$group/cgroup.procs"
		for _ in 1 2 3 4 5 6 7 8 9 10; do
			rmdir "$group" 2>/dev/null && break
			sleep 0.5
		done
	done
}

[ "$(id -u)" = 0 ] || fail "only root can make cgroups: run it with sudo"
parent=$(groups)
[ "$parent" ] || fail "there are no cgroups with the cpu controller here"
trap 'end_all; rm -rf "$logs"' EXIT
trap 'exit 1' INT TERM

for i in $(seq "$at_once"); do
	limit "$parent/starved-$$-$i"
	(
		echo 0 >"$parent/starved-$$-$i/cgroup.procs"
		ORACLE_SEED=$((first + i * 1000)) ORACLE_SECONDS=${ORACLE_SECONDS:-150} CK_TIMEOUT_MULTIPLIER=100 \
			"$oracle" >"$logs/$i" 2>&1 && touch "$logs/$i.passed"
	) &
done
wait

passed=$(find "$logs" -name '*.passed' | wc -l)
for i in $(seq "$at_once"); do
	grep -h " walks, " "$logs/$i" || :
	[ -e "$logs/$i.passed" ] || cat "$logs/$i"
done
echo "$passed passed, $((at_once - passed)) failed"
[ "$passed" = "$at_once" ]
