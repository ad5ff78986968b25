#!/bin/sh
# Runs the test programs named as arguments, all of them even if some fail. The last line is the total:
# "N passed, N failed". A program is a Check suite, or ends with such a line itself.
set -u

out=$(mktemp)
trap 'rm -f "$out"' EXIT
trap 'exit 130' INT TERM HUP
passed=0 failed=0 broken="" total_start=$(date +%s)

# The program's own counts, as "PASSED FAILED": Check prints a line for each of its suites.
count() {
	awk '
		match($0, /^[0-9]+%: Checks: [0-9]+, Failures: [0-9]+, Errors: [0-9]+$/) {
			split($0, n, /[^0-9]+/); p += n[2] - n[3] - n[4]; f += n[3] + n[4] }
		/^[0-9]+ passed, [0-9]+ failed$/ { p += $1; f += $3 }
		END { print p + 0, f + 0 }' "$out"
}

# Shows a long program's progress as it comes, and keeps the rest in case it fails.
run() {
	case $1 in
	*.sh) "$1" 2>&1 | tee "$out" | sed -un 's/^progress: /    /p' ;;
	*) "$1" >"$out" 2>&1 ;;
	esac
}

for program in "$@"; do
	start=$(date +%s)
	status=0
	case $program in
	*.sh) echo "${program#*tests/}:" ;;
	esac
	run "$program" || status=$?
	read -r p f <<-EOT
		$(count)
	EOT
	# Killed, or ended before it counted. A program without counts has tested nothing.
	[ "$status" = 0 ] || [ "$f" != 0 ] || f=1
	[ $((p + f)) != 0 ] || f=1
	passed=$((passed + p)) failed=$((failed + f))
	printf '%s (%d s): ' "${program#*tests/}" $(($(date +%s) - start))
	if [ "$f" = 0 ]; then
		echo "$p ok"
		grep '^skipped: ' "$out" | sort -u
	else
		echo "FAILED"
		grep -vE '^progress: |^[0-9]+ passed, [0-9]+ failed$' "$out"
		broken="$broken ${program#*tests/}"
	fi
done

[ -z "$broken" ] || echo "failed:$broken"
echo "in $(($(date +%s) - total_start)) s:"
echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
