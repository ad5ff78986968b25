#!/bin/sh
# What the guard heap costs beside Debian's electric-fence and duma, as Markdown: wall seconds of the
# same program natively with each, medians of RUNS (5) that take turns. What is not installed is left out.
#
# Usage: fences.sh BUILD_FOLDER
set -u
build=$(realpath "$1")
runs=${RUNS:-5}
scratch=$(mktemp -d "${TMPDIR:-/tmp}/fences-bench.XXXXXX") || exit 1
trap 'rm -rf "$scratch"' EXIT
trap 'exit 1' INT TERM

seq 20000 >"$scratch/numbers"
cat >"$scratch/table.sql" <<'END'
create table t(a, b);
with recursive c(x) as (select 1 union all select x + 1 from c where x < 3000) insert into t select x, hex(x * x) from c;
select count(*) from t where b > '3';
END
cat >"$scratch/hash.pl" <<'END'
my %h; $h{$_ % 500} .= "$_ " for 1 .. 20000; print length(join "", values %h), "\n";
END

# seconds LIBRARY COMMAND...: how long it takes with the library, or "-" if it fails
seconds() {
	library=$1
	shift
	start=$(date +%s%N)
	if LD_PRELOAD=$library EF_DISABLE_BANNER=1 EF_ALLOW_MALLOC_0=1 DUMA_DISABLE_BANNER=1 "$@" >/dev/null 2>&1; then
		awk -v a="$start" -v b="$(date +%s%N)" 'BEGIN { printf "%.3f\n", (b - a) / 1e9 }'
	else
		echo -
	fi
}

median() { sort -n "$1" | awk '{ v[NR] = $1 } END { print NR ? v[int((NR + 1) / 2)] : "-" }'; }

row() {
	name=$1
	shift
	rm -f "$scratch"/with.*
	for _ in $(seq "$runs"); do
		seconds "" "$@" >>"$scratch/with.none"
		seconds "$build/libexec/rr-warden/guardheap.so" "$@" >>"$scratch/with.ours"
		for other in efence duma; do
			[ ! -e /usr/lib/lib$other.so.0 ] || seconds /usr/lib/lib$other.so.0 "$@" >>"$scratch/with.$other"
		done
	done
	printf '| %s |' "$name"
	for with in none ours efence duma; do
		[ -e "$scratch/with.$with" ] || echo - >"$scratch/with.$with"
		printf ' %s |' "$(median "$scratch/with.$with")"
	done
	echo
}

echo "medians of $runs; load $(cut -d' ' -f1 /proc/loadavg)"
echo
echo "| program | alone | guard heap | electric-fence | duma |"
echo "|---|--:|--:|--:|--:|"
row "\`sort\`, 20,000 lines" sort "$scratch/numbers"
row "perl, a hash of texts" perl "$scratch/hash.pl"
[ ! -x /usr/bin/sqlite3 ] || row "sqlite3, 3,000 rows" sqlite3 -init "$scratch/table.sql" :memory: .quit
