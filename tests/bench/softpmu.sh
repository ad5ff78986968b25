#!/bin/sh
# shellcheck disable=SC2016 # Markdown, and programs for perl and awk
# What the software PMU costs, as Markdown: medians of RUNS (5), everything in one go.
#
# Instructions per second while a program is recorded, beside plain ptrace single-stepping
# (softpmu_step) and gdb's own `record full`, both of the first stretch of the same program. Of the
# software PMU: from each of rr's requests to run until the stop that rr sees, rr's own work not
# included, and only instructions it knows of (those of episodes and steps, nearly all).
#
# Then reverse-continue to the writer in list_corruption, and the memory in rr.
#
# Usage: softpmu.sh BUILD_FOLDER
set -u
build=$(realpath "$1")
warden=$build/bin/rr-warden
library=$build/libexec/rr-warden/softpmu.so
stepper=$build/tests/softpmu_step
loop=$build/tests/softpmu_loop
corruption=$build/tests/programs/list_corruption
runs=${RUNS:-5}
STEPS=30000 # of plain single-stepping, in each run
GDB_SECONDS=1
scratch=$(mktemp -d "${TMPDIR:-/tmp}/softpmu-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

median() { sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'; }

# repeated COMMAND...: the median of what it prints, `runs` times over
repeated() {
	for _ in $(seq "$runs"); do
		"$@"
	done | median
}

# field NAME FILE: NAME=value, of the last line
field() { sed -n "s/.*$1=\([0-9.]*\).*/\1/p" "$2" | tail -n 1; }

quotient() { awk -v a="$1" -v b="$2" 'BEGIN { printf "%d\n", (b > 0 ? a / b : 0) }'; }

# rr MODE ARGUMENTS...: its totals go to $scratch/stats
rr() {
	mode=$1
	shift
	rm -f "$scratch/stats"
	env RR_WARDEN_SOFTPMU="$mode" RR_WARDEN_SOFTPMU_STATS="$scratch/stats" \
		"$warden" rr --pmu=software "$@" </dev/null >"$scratch/out" 2>"$scratch/errors"
}

rr_counted() {
	rr "$@"
	[ -s "$scratch/stats" ] && return
	cat "$scratch/errors" >&2
	exit 1
}

softpmu_rate() {
	rm -rf "$scratch/trace"
	rr_counted run record -n -o "$scratch/trace" "$@"
	quotient "$(field instructions "$scratch/stats")" "$(field seconds "$scratch/stats")"
}

step_rate() {
	"$stepper" "$STEPS" "$@" 2>"$scratch/steps" >/dev/null
	quotient "$(field steps "$scratch/steps")" "$(field seconds "$scratch/steps")"
}

# `record full` stops at an instruction it does not know, or when its time is up
gdb_rate() {
	cat >"$scratch/full.gdb" <<-END
		set debuginfod enabled off
		set confirm off
		set record full insn-number-max unlimited
		starti
		record full
		python
		import os, signal, threading, time
		threading.Timer($GDB_SECONDS, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
		start = time.time()
		try:
		    gdb.execute("continue")
		except (gdb.error, KeyboardInterrupt):
		    pass
		print("seconds", time.time() - start)
		end
		info record
		kill
	END
	gdb --nx -batch -x "$scratch/full.gdb" --args "$@" </dev/null 2>/dev/null |
		awk '/^seconds/ { s = $2 } /Log contains/ { n = $3 }
		     END { if (s > 0) printf "%d\n", n / s }'
}

row() {
	name=$1
	shift
	full=$(repeated gdb_rate "$@")
	step=$(repeated step_rate "$@")
	soft=$(repeated softpmu_rate "$@")
	awk -v n="$name" -v i="$(field instructions "$scratch/stats")" -v f="$full" -v s="$step" \
		-v r="$soft" 'BEGIN {
		printf "| %s | %d | %d | %d | %d | %.1f× |\n", n, i, f, s, r, (s > 0 ? r / s : 0) }'
}

# From the crash back to the signal, and then to the writer of the broken link: both in seconds.
reverse_seconds() {
	cat >"$scratch/reverse.gdb" <<-END
		set confirm off
		continue
		watch -l sessions[3].next
		python
		import time
		start = time.time()
		gdb.execute("reverse-continue")
		gdb.execute("reverse-continue")
		print("seconds=%.3f" % (time.time() - start))
		end
		frame
	END
	printf '#!/bin/sh\nexec gdb -nx -batch "$@" -x %s\n' "$scratch/reverse.gdb" >"$scratch/gdb"
	chmod +x "$scratch/gdb"
	rr "$1" replay -d "$scratch/gdb" "$scratch/corruption"
	grep -q CULPRIT "$scratch/out" || {
		cat "$scratch/out" >&2
		exit 1
	}
	field seconds "$scratch/out"
}

# rr's greatest resident memory in a replay of what was recorded last, in kB; pages are pages: once
peak_memory() {
	rr_counted "$1" replay -a "$scratch/trace"
	field peak_kb "$scratch/stats"
}

# What is loaded of the library and of the decoder it needs, at most.
loaded_memory() {
	decoders=$(ldd "$library" | awk '/libZy/ { print $3 }')
	# shellcheck disable=SC2086 # a list
	size $decoders "$library" | awk 'NR > 1 { n += $4 } END { print int(n / 1024 + 0.5) }'
}

printf '| program | instructions | gdb `record full`/s | single-stepping/s | softpmu/s | softpmu : stepping |\n'
printf '|---|--:|--:|--:|--:|--:|\n'
row 'C start-up (`true`)' /bin/true
row '`ls /usr/share`' ls /usr/share
peak=$(peak_memory run)
base=$(peak_memory step)
row 'perl, 200 rounds' perl -e 'for (1..200) { $x += $_ * 3; $y .= chr(65 + $x % 26) } print length $y'
row 'tight loop' "$loop" 50000

rm -rf "$scratch/corruption"
# rr ends as its program does, by a signal; the shell says so
{ "$warden" rr --pmu=software record -n -o "$scratch/corruption" "$corruption"; } >/dev/null 2>&1
printf '\nreverse-continue from the crash to the writer (list_corruption): %s s (without episodes: %s s)\n' \
	"$(repeated reverse_seconds run)" "$(repeated reverse_seconds legs)"
loaded=$(loaded_memory)
printf '\nmemory in rr, replaying ls: at the peak %d kB, %d kB of it for running (%d kB with single steps only), and at most %d kB of libraries: +%d kB\n' \
	"$peak" $((peak - base)) "$base" "$loaded" $((peak - base + loaded))
printf '\nload average %s; medians of %d runs\n' "$(cut -d' ' -f1-3 /proc/loadavg)" "$runs"
