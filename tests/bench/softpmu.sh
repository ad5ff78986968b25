#!/bin/sh
# What the software PMU costs: instructions per second while a program is recorded, as it is, with
# plain single-stepping, and under gdb's own `record full`; medians of RUNS (5) runs each, all in one
# go. Instructions are counted by the single-stepping runs; seconds are those spent running the
# program, rr's own work not included. Usage: softpmu.sh SOFTPMU_SO LOOP_PROGRAM
set -u
softpmu=$(realpath "$1")
loop=$(realpath "$2")
runs=${RUNS:-5}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/softpmu-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM
export _RR_TRACE_DIR="$scratch/traces"

median() { sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'; }

# record MODE PROGRAM...: one recording; its totals are the one line of $scratch/stats
record() {
	mode=$1
	shift
	rm -rf "$scratch/traces" "$scratch/stats"
	env RR_WARDEN_SOFTPMU="$mode" RR_WARDEN_SOFTPMU_STATS="$scratch/stats" \
		LD_PRELOAD="$softpmu" rr record -n "$@" >/dev/null 2>"$scratch/errors" || {
		cat "$scratch/errors" >&2
		exit 1
	}
}

field() { sed -n "s/.*$1=\([0-9.]*\).*/\1/p" "$scratch/stats"; }

# rates MODE INSTRUCTIONS PROGRAM...: one rate a run
rates() {
	mode=$1
	instructions=$2
	shift 2
	for _ in $(seq "$runs"); do
		record "$mode" "$@"
		echo "$instructions $(field seconds)" | awk '{ printf "%d\n", $1 / $2 }'
	done
}

# gdb_rates PROGRAM...: `record full` stops early where it does not know an instruction
gdb_rates() {
	for _ in $(seq "$runs"); do
		gdb --nx -batch -ex 'set debuginfod enabled off' -ex 'set confirm off' \
			-ex 'set record full insn-number-max unlimited' \
			-ex 'set record full stop-at-limit off' -ex starti \
			-ex 'record full' -ex 'python import time; t = time.time()' -ex continue \
			-ex 'python print("seconds", time.time() - t)' -ex 'info record' \
			-ex kill --args "$@" </dev/null 2>/dev/null |
			awk '/^seconds/ { s = $2 } /Log contains/ { n = $3 }
			     END { if (s > 0) printf "%d\n", n / s }'
	done
}

row() {
	name=$1
	shift
	record step "$@"
	instructions=$(field instructions)
	step=$(rates step "$instructions" "$@" | median)
	run=$(rates run "$instructions" "$@" | median)
	full=$(gdb_rates "$@" | median)
	awk -v n="$name" -v i="$instructions" -v s="$step" -v r="$run" -v f="$full" 'BEGIN {
		printf "%-12s %12d %12d %12d %12d %9.1fx\n", n, i, f, s, r, s ? r / s : 0 }'
}

printf '%-12s %12s %12s %12s %12s %10s\n' program instructions 'gdb full/s' 'stepping/s' \
	'softpmu/s' 'speed-up'
row true /bin/true
row ls ls /usr/share
# shellcheck disable=SC2016 # perl's own variables
row perl perl -e 'for (1..2000) { $x += $_ * 3; $y .= chr(65 + $x % 26) } print length $y'
row loop "$loop" 50000
