#!/bin/sh
# shellcheck disable=SC2016 # Markdown, and programs for perl and python
# What recording and replaying costs with the software PMU, as Markdown: wall seconds, medians of
# RUNS (5), next to the same program without rr in the same run. Then the same program without the
# code cache (RR_WARDEN_SOFTPMU=legs) and in single steps, for the shortest one only: they take
# hundreds of times as long. Then reverse-continue to the writer in list_corruption, and back over
# BRANCHES (10^8) branches to a write next to the same way forward, and the memory in rr.
#
# Usage: softpmu.sh BUILD_FOLDER
set -u
build=$(realpath "$1")
warden=$build/bin/rr-warden
corruption=$build/tests/programs/list_corruption
runs=${RUNS:-5}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/softpmu-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

median() { sort -n | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : 0 }'; }

# repeated COMMAND...: the median of what it prints, `runs` times over
repeated() {
	for _ in $(seq "$runs"); do
		"$@" || exit 1
	done | median
}

# field NAME FILE: NAME=value, of the last line
field() { sed -n "s/.*$1=\([0-9.]*\).*/\1/p" "$2" | tail -n 1; }

# seconds COMMAND...: how long it takes. Its exit status must be 0.
seconds() {
	start=$(date +%s%N)
	"$@" </dev/null >"$scratch/out" 2>"$scratch/errors" || {
		cat "$scratch/errors" >&2
		return 1
	}
	awk -v a="$start" -v b="$(date +%s%N)" 'BEGIN { printf "%.3f\n", (b - a) / 1e9 }'
}

record() {
	rm -rf "$scratch/trace"
	seconds "$warden" rr --pmu=software record -o "$scratch/trace" "$@"
}

replay() { seconds "$warden" rr --pmu=software replay -a "$scratch/trace"; }

row() {
	name=$1
	shift
	native=$(repeated seconds "$@")
	recorded=$(repeated record "$@")
	replayed=$(repeated replay)
	awk -v n="$name" -v a="$native" -v b="$recorded" -v c="$replayed" 'BEGIN {
		printf "| %s | %.2f | %.2f | %.2f | %.1f× | %.1f× |\n", n, a, b, c, b / a, c / a }'
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
	env RR_WARDEN_SOFTPMU="$1" "$warden" rr --pmu=software replay -d "$scratch/gdb" \
		"$scratch/corruption" </dev/null >"$scratch/out" 2>"$scratch/errors"
	grep -q "in session_touch" "$scratch/out" || {
		cat "$scratch/out" >&2
		exit 1
	}
	field seconds "$scratch/out"
}

# Forward over many branches, and back to the write before them: two numbers of seconds.
long_way_seconds() {
	rm -rf "$scratch/long"
	"$warden" rr --pmu=software record -o "$scratch/long" "$build/tests/softpmu_watched" \
		"${BRANCHES:-100000000}" >/dev/null 2>&1
	cat >"$scratch/long.gdb" <<-END
		set confirm off
		break main
		break finished
		continue
		python
		import time
		start = time.time()
		gdb.execute("continue")
		forward = time.time() - start
		gdb.execute("watch -l target")
		start = time.time()
		gdb.execute("reverse-continue")
		print("forward=%.3f back=%.3f value=%s" % (forward, time.time() - start,
			gdb.parse_and_eval("target")))
		end
	END
	printf '#!/bin/sh\nexec gdb -nx -batch "$@" -x %s\n' "$scratch/long.gdb" >"$scratch/gdb"
	chmod +x "$scratch/gdb"
	"$warden" rr --pmu=software replay -d "$scratch/gdb" "$scratch/long" </dev/null \
		>"$scratch/out" 2>"$scratch/errors"
	grep -q 'value=0' "$scratch/out" || {
		cat "$scratch/out" >&2
		exit 1
	}
	echo "$(field forward "$scratch/out") $(field back "$scratch/out")"
}

# one_way MODE: recording /bin/true
one_way() {
	RR_WARDEN_SOFTPMU=$1
	export RR_WARDEN_SOFTPMU
	record /bin/true
	unset RR_WARDEN_SOFTPMU
}

# rr's greatest resident memory in a replay of what was recorded last, in kB
peak_memory() {
	env RR_WARDEN_SOFTPMU="$1" RR_WARDEN_SOFTPMU_STATS="$scratch/stats" \
		"$warden" rr --pmu=software replay -a "$scratch/trace" >/dev/null 2>&1
	field peak_kb "$scratch/stats"
}

seq 1 2000000 | sort -R >"$scratch/lines"
head -c 2000000 /dev/urandom | od >"$scratch/octal"
printf 'int main(void) { return 0; }\n' >"$scratch/small.c"

printf '| program | alone, s | recorded, s | replayed, s | recorded : alone | replayed : alone |\n'
printf '|---|--:|--:|--:|--:|--:|\n'
row '`/bin/true`' /bin/true
row '100,000 `getppid`' "$build/tests/softpmu_calls" 100000
row '`qsort` of a million' "$build/tests/softpmu_sorted" 1000000
row 'tight loop' "$build/tests/softpmu_loop" 1000000000
row '`gzip`, 8 MB' gzip -c "$scratch/octal"
row '`sort`, 2 million lines' sort "$scratch/lines"
row 'perl, 20 million rounds' perl -e 'for ($i = 0; $i < 20000000; $i++) { $x += $i } print $x'
row 'python, 80 million rounds' /usr/bin/python3 -c 'print(sum(range(80000000)))'
if command -v node >/dev/null; then
	row 'node, 200 million rounds' node -e 'let s = 0; for (let i = 0; i < 2e8; i++) s = (s + i * 7) % 1000003; console.log(s)'
fi
row '`python3 -c pass`' /usr/bin/python3 -c pass
row '100 subshells of `sh`' sh -c 'i=0; while [ $i -lt 100 ]; do x=$(echo $i); i=$((i + 1)); done'
row '`gcc -c`, a small file' gcc -c -o "$scratch/small.o" "$scratch/small.c"

printf '\nrecording /bin/true: %s s; without the code cache %s s; in single steps %s s\n' \
	"$(repeated one_way run)" "$(repeated one_way legs)" "$(repeated one_way step)"

rm -rf "$scratch/corruption"
# rr ends as its program does, by a signal; the shell says so
{ "$warden" rr --pmu=software record -n -o "$scratch/corruption" "$corruption"; } >/dev/null 2>&1
printf '\nreverse-continue from the crash to the writer (list_corruption): %s s (without the code cache: %s s)\n' \
	"$(repeated reverse_seconds run)" "$(repeated reverse_seconds legs)"

printf '\nforward over %s branches, and reverse-continue back over them to a watchpoint: %s s\n' \
	"${BRANCHES:-100000000}" "$(long_way_seconds)"

record ls /usr/share >/dev/null
printf '\nmemory in rr, replaying ls: at the peak %d kB, without the code cache %d kB\n' \
	"$(peak_memory run)" "$(peak_memory legs)"
printf '\nload average %s; medians of %d runs\n' "$(cut -d' ' -f1-3 /proc/loadavg)" "$runs"
