#!/bin/sh
# Tests of tests/run.sh itself: what fails is counted and named, output stays whole, and a kill ends
# everything that was started.
set -u

run=$(cd "$(dirname "$0")/../.." && pwd)/run.sh
scratch=$(mktemp -d) || exit 2
trap 'rm -rf "$scratch"' EXIT
mkdir "$scratch/tests"
cd "$scratch" || exit 2
passed=0 failed=0
export JOBS=2 # whatever runs this one

# program NAME LINE...: a program with these lines.
program() {
	name=$1
	shift
	{
		echo "#!/bin/sh"
		printf '%s\n' "$@"
	} >"tests/$name"
	chmod +x "tests/$name"
}

program good 'sleep 0.2' 'echo "3 passed, 0 failed"'
program check 'echo "50%: Checks: 4, Failures: 1, Errors: 1"' 'exit 1'
program told 'echo "a.c:7:F:a:it_holds:0: no"' 'echo "50%: Checks: 2, Failures: 1, Errors: 0"' 'exit 1'
program bad 'echo "the reason"' 'echo "1 passed, 2 failed"' 'exit 1'
program liar 'echo "5 passed, 0 failed"' 'exit 1'
program silent 'exit 0'
# shellcheck disable=SC2016 # for the program
program killed 'kill -KILL $$'
# shellcheck disable=SC2016 # for the program
program orphaned 'kill -KILL $PPID'
program skips 'echo "skipped: it is Sunday"' 'echo "1 passed, 0 failed"'
# shellcheck disable=SC2016 # for the program
program long.sh 'echo "progress: half"' 'timeout 300 sh -c "echo \$\$ >pid; exec sleep 300"' 'echo "1 passed, 0 failed"'
# shellcheck disable=SC2016 # for the program
program looped 'echo "rows ${TEST_ROWS:-all}, rest ${TEST_REST:-no}"; echo "0 passed, 1 failed"'
program unlooped 'echo "nothing is left"'
program early 'echo "what early says"' 'exit 1'
program late 'echo "what late says"' 'exit 1'

# says STATUS TEXT PROGRAM...: the run ends with this status, and its output has this line.
says() {
	status=$1 text=$2
	shift 2
	"$run" "$@" >out 2>&1
	got=$?
	if [ "$got" = "$status" ] && grep -qxE "$text" out; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "run.sh $*: status $got where $status was expected, or no line '$text' in:"
		sed 's/^/    /' out
	fi
}

holds() {
	if [ "$2" = yes ]; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "it does not hold: $1"
	fi
}

says 0 '3 passed, 0 failed' tests/good
says 1 '2 passed, 2 failed' tests/check
says 1 '4 passed, 2 failed' tests/good tests/bad
says 1 'failed: bad' tests/good tests/bad
says 1 'the reason' tests/bad
says 1 'failed: told' tests/told tests/good
holds "the end of the output tells what failed" \
	"$(tail -n 4 out | grep -qxF 'a.c:7:F:a:it_holds:0: no' && echo yes)"
says 1 'liar \([0-9]* s\): FAILED' tests/liar
says 1 '5 passed, 1 failed' tests/liar
says 1 '3 passed, 1 failed' tests/silent tests/good
says 1 '0 passed, 1 failed' tests/killed
says 1 'failed: orphaned' tests/orphaned
says 1 '0 passed, 1 failed' tests/missing
says 2 'usage: .*'
says 0 'skipped: it is Sunday' tests/skips

program skipped 'echo "skipped: it is Monday"'
says 0 'skipped: it is Monday' tests/skipped tests/good

# What make check-all asks for.
export TEST_ROWS=2 TEST_REST=yes ORDER="$scratch/order.later"
echo 'later late' >"$ORDER"
# shellcheck disable=SC2016 # for the program
program late 'echo "rows ${TEST_ROWS:-all}, rest ${TEST_REST:-no}"; exit 1'
says 1 'rows 2, rest yes' tests/looped
says 0 '3 passed, 0 failed' tests/unlooped tests/good
says 1 'rows all, rest no' tests/late
unset TEST_ROWS TEST_REST ORDER
program late 'echo "what late says"' 'exit 1'

# With a slow grep, both report at the same time.
mkdir slow
printf '#!/bin/sh\nsleep 0.3\nexec %s "$@"\n' "$(command -v grep)" >slow/grep
chmod +x slow/grep
PATH=$scratch/slow:$PATH "$run" tests/early tests/late >out 2>&1
holds "each program's output is in one piece" \
	"$(sed -nE '/^failed/q; s/.*(early|late).*/\1/p' out | uniq -c | grep -c '^ *2 ' | sed 's/^2$/yes/')"

program busy 'touch busy; sleep 3; rm busy' 'echo "1 passed, 0 failed"'
program only 'sleep 1; [ ! -e busy ] && echo "1 passed, 0 failed"'
echo "alone only  it says so" >order
ORDER=order says 0 '2 passed, 0 failed' tests/only tests/busy
echo "first busy" >order
JOBS=1 ORDER=order says 0 '2 passed, 0 failed' tests/only tests/busy
holds "a long program begins first" "$(head -n 1 out | grep -q '^busy ' && echo yes)"
says 1 'failed: only' tests/busy tests/only

# shellcheck disable=SC2016 # for the program
program stateful 'mkdir -p "$XDG_STATE_HOME/rr-warden" && echo "$XDG_STATE_HOME" >state' 'echo "1 passed, 0 failed"'
XDG_STATE_HOME=$scratch/developer says 0 '1 passed, 0 failed' tests/stateful
holds "suites leave nothing in the developer's state directory" \
	"$([ -s state ] && [ ! -e developer ] && [ ! -e "$(cat state)" ] && echo yes)"

# chooses ONLY SUITE...: what make check runs of it.
chooses() {
	only=$1
	shift
	got=$(env -u MAKEFLAGS -u MFLAGS make -s -C "$(dirname "$run")/.." suites ONLY="$only" | sed 's#.*tests/##' | sort | xargs)
	holds "ONLY=$only runs $*: $got" "$([ "$got" = "$*" ] && echo yes)"
}

chooses printed e2e/test_printed unit/worker/test_printed
chooses printed:a_text_over_two_writes_names_both e2e/test_printed
chooses printed:there_is_no_such_scenario e2e/test_printed unit/worker/test_printed
chooses 'heap races' e2e/test_heap e2e/test_races
chooses corpus corpus/run.sh

# timeout(1) makes a process group of its own, as Check does for each test. Under nohup, SIGHUP is ignored.
for signal in INT TERM HUP; do
	rm -f pid
	env --default-signal=INT,TERM,HUP "$run" tests/long.sh tests/good >out 2>&1 &
	runner=$!
	timeout 60 sh -c 'until [ -s pid ] && [ -s out ]; do sleep 0.1; done'
	holds "a long script shows its progress" "$(grep -qx '    long.sh: half' out && echo yes)"
	kill -s $signal "$runner"
	wait "$runner"
	holds "a run ended by SIG$signal fails" "$([ $? = 130 ] && echo yes)"
	holds "SIG$signal leaves no process" "$(kill -0 "$(cat pid)" 2>/dev/null || echo yes)"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
