#!/bin/sh
# Runs the test programs named as arguments, all of them whatever fails, and says the totals.
set -u

out=$(mktemp)
trap 'rm -f "$out"' EXIT INT TERM
checks=0 failures=0 errors=0 broken="" total_start=$(date +%s)

for program in "$@"; do
	start=$(date +%s)
	"$program" >"$out" 2>&1
	status=$?
	printf '%s (%d s): ' "${program#*tests/}" $(($(date +%s) - start))
	# "100%: Checks: 5, Failures: 0, Errors: 0", once for each suite
	counts=$(sed -n 's/^[0-9]*%: Checks: \([0-9]*\), Failures: \([0-9]*\), Errors: \([0-9]*\)$/\1 \2 \3/p' "$out" |
		awk '{c += $1; f += $2; e += $3} END {print c + 0, f + 0, e + 0}')
	read -r c f e <<-EOF
		$counts
	EOF
	checks=$((checks + c)) failures=$((failures + f)) errors=$((errors + e))
	if [ "$status" = 0 ]; then
		echo "$c ok"
		grep '^skipped: ' "$out" | sort -u
	else
		echo "FAILED"
		cat "$out"
		broken="$broken $program"
		[ $((f + e)) != 0 ] || errors=$((errors + 1))
	fi
done

echo "tests: $checks run, $((checks - failures - errors)) passed, $failures failed, $errors broken, $(($(date +%s) - total_start)) s"
[ -z "$broken" ] || {
	echo "failed:$broken"
	exit 1
}
