#!/bin/sh
# Runs the test programs named as arguments, all of them even if some fail: JOBS at a time (2), and then,
# one after the other, those that tests/order.list wants alone. Prints a program's output whole when the
# program ends. The last line is the total: "N passed, N failed". A program is a Check suite, or ends with such a
# line itself. Must leave no process behind, not even when it is killed.
set -u

here=$(cd "$(dirname "$0")" && pwd)
JOBS=${JOBS:-2}
ORDER=${ORDER:-$here/order.list}

# The program's own counts, as "PASSED FAILED": Check prints a line for each of its suites.
count() {
	awk '
		match($0, /^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+$/) {
			split($0, n, /[^0-9]+/); p += n[2] - n[3] - n[4]; f += n[3] + n[4] }
		/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 }
		END { print p + 0, f + 0 }' "$1"
}

# The names with this word in order.list, one a line.
listed() {
	sed -n "s/^$1 *\([^ ]*\).*/\1/p" "$ORDER"
}

# Shows the progress of a long script as it comes, and keeps all of its output in a file.
run() {
	# What order.list calls "later" has not run at all yet.
	if [ -n "${TEST_REST:-}" ] && listed later | grep -qxF "${1#*tests/}"; then
		unset TEST_ROWS TEST_REST
	fi
	case ${1#*tests/} in unit/*) unset TEST_ROWS ;; esac # they take no time
	case $1 in
	*.sh) "$1" 2>&1 | tee "$2" | sed -un "s#^progress: #    ${1#*tests/}: #p" ;;
	*) "$1" >"$2" 2>&1 ;;
	esac
}

report() {
	! grep -qx 'nothing is left' "$out" || return 0
	printf '%s (%d s): ' "${program#*tests/}" "$seconds"
	if [ "$f" = 0 ]; then
		echo "$p ok"
		grep '^skipped: ' "$out" | sort -u
	else
		echo "FAILED"
		grep -vE '^progress: |^[0-9]+ passed, [0-9]+ failed$' "$out"
		grep -E '^[^ ]+:[0-9]+:[FE]:|^FAILED|^still there: ' "$out" | cut -c 1-300 >>"$SCRATCH/failures"
	fi
}

# Runs one program; a process of its own. Appends "PASSED FAILED PROGRAM" to the results.
run_one() {
	program=$1 out=$(mktemp "$SCRATCH/out.XXXXXX") start=$(date +%s) status=0
	run "$program" "$out" || status=$?
	read -r p f <<-EOT
		$(count "$out")
	EOT
	# Killed, or ended before it counted. A program without counts has tested nothing,
	# and must say why.
	[ "$status" = 0 ] || [ "$f" != 0 ] || f=1
	[ $((p + f)) != 0 ] || grep -qE '^nothing is left$|^skipped: ' "$out" || f=1
	seconds=$(($(date +%s) - start))
	(
		flock 9
		echo "$p $f ${program#*tests/}" >>"$SCRATCH/results"
		report
	) 9>"$SCRATCH/lock"
	rm -f "$out"
}

if [ "${1:-}" = --one ]; then
	run_one "$2"
	exit 0
fi

if [ $# = 0 ]; then
	echo "usage: $0 PROGRAM..." >&2
	exit 2
fi

# chosen WORD PROGRAM...: the programs that the list has with this word, one a line, in its order.
chosen() {
	names=$(listed "$1")
	shift
	for name in $names; do
		for program in "$@"; do
			[ "${program#*tests/}" != "$name" ] || echo "$program"
		done
	done
}

# The processes of a session.
members() {
	cat /proc/[0-9]*/stat 2>/dev/null |
		awk -v session="$1" '{ pid = $1; sub(/.*\) /, ""); if ($4 == session) print pid }'
}

# Ends what runs, and what it has started; signal 0 only looks whether anything is left.
stop() {
	trap '' INT TERM HUP
	for signal in TERM 0 0 0 0 0 0 0 0 0 KILL; do
		# shellcheck disable=SC2046 # a list of numbers
		kill -s $signal $(members "$running") 2>/dev/null || break
		sleep 0.2
	done
	exit 130
}

# Runs the programs in the file, so many at a time, in a session of their own. SIGINT and SIGQUIT, which a
# shell has its background processes ignore, are what some tests send.
run_all() {
	env --default-signal=INT,QUIT setsid xargs -r -d '\n' -P "$1" -n 1 sh "$here/run.sh" --one <"$2" &
	running=$!
	wait "$running"
}

SCRATCH=$(mktemp -d) || exit 2
export SCRATCH
export XDG_STATE_HOME="$SCRATCH/state" # the developer's own lists of sources are not ours to fill
running=none
trap 'rm -rf "$SCRATCH"' EXIT
trap stop INT TERM HUP
begun=$(date +%s)
: >"$SCRATCH/results"
: >"$SCRATCH/failures"
chosen alone "$@" >"$SCRATCH/alone"
{
	chosen first "$@"
	printf '%s\n' "$@"
} | grep -vxF -f "$SCRATCH/alone" | awk '!seen[$0]++' >"$SCRATCH/beside"
run_all "$JOBS" "$SCRATCH/beside"
run_all 1 "$SCRATCH/alone"

# A program without a result was killed with its shell.
for program in "$@"; do
	grep -q "^[0-9]* [0-9]* ${program#*tests/}\$" "$SCRATCH/results" ||
		echo "0 1 ${program#*tests/}" >>"$SCRATCH/results"
done
# Once more, where a reader of a long log looks first.
cat "$SCRATCH/failures"
awk -v seconds=$(($(date +%s) - begun)) '
	{ passed += $1; failed += $2 }
	$2 > 0 { broken = broken " " $3 }
	END {
		if (broken != "")
			print "failed:" broken
		print "in " seconds " s:"
		print passed + 0 " passed, " failed + 0 " failed"
		exit failed > 0 || passed == 0
	}' "$SCRATCH/results"
