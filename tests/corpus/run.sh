#!/bin/sh
# Records and replays the programs of corpus.list with real rr, and drives the replays of reverse/
# with gdb: the proof that the software PMU counts right. Says which failed and why; the last line
# is "N passed, N failed".
#
#	run.sh [-n] [-k] [-m] [-j JOBS] [-t SECONDS] [NAME...]
#
#	-n	record without rr's syscall buffer
#	-k	keep the traces of what failed, and say where they are
#	-m	mix the ways of counting for every program, not only those of the kind mixed
#	-j	so many at a time (2)
#	-t	time limit of a recording or a replay (300)
#
# Environment: WAYS of counting to mix ("run legs"; see RR_WARDEN_SOFTPMU), RR_WARDEN the program (build/bin/rr-warden), PROGRAMS the folder of the programs,
# RUNS how often (1), PMU the counters (software), RR the rr to use. Must never leave a process
# or a file behind, except with -k.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
RR_WARDEN=${RR_WARDEN:-$root/build/bin/rr-warden}
PROGRAMS=${PROGRAMS:-$root/build/tests/programs}
RUNS=${RUNS:-1}
PMU=${PMU:-software}
RR=${RR:-rr}
case $RR_WARDEN in /*) ;; *) RR_WARDEN=$PWD/$RR_WARDEN ;; esac
case $PROGRAMS in /*) ;; *) PROGRAMS=$PWD/$PROGRAMS ;; esac

fail() {
	echo "FAIL $name (run $run): $1"
	shift
	for log in "$@"; do
		[ -s "$log" ] && tail -n 4 "$log" | cut -c1-200 | sed 's/^/     /'
	done
	if [ -n "$KEEP" ]; then
		cp -r "$dir" "$KEEP/$name.$run" && echo "     kept in $KEEP/$name.$run"
	fi
	exit 1
}

# rr, with a time limit; timeout's own children get SIGKILL after a grace, and rr's tracees with it.
rr_limited() {
	timeout -k 5 "$LIMIT" "$RR_WARDEN" rr --pmu="$PMU" --rr="$RR" "$@"
}

# The same in a namespace of process numbers, if a script wants one. The shell reaps what is left to
# it there, as init would.
rr_apart() {
	if [ -z "${APART:-}" ]; then
		rr_limited "$@"
		return
	fi
	# shellcheck disable=SC2016 # for the other shell
	timeout -k 5 "$LIMIT" unshare -Urpf --kill-child --mount-proc sh -c '"$@"; exit $?' sh \
		"$RR_WARDEN" rr --pmu="$PMU" --rr="$RR" "$@"
}

# Removes the messages of rr, timeout and the shell from stderr.
without_rr_lines() {
	sed -e '/^rr: Saving execution to trace directory/d' -e '/^timeout: /d' -e '/^$/d' \
		-e '/^Segmentation fault/d' -e '/^Aborted/d' "$1" >"$1.program"
}

# stdout is a pipe: rr does not support copy_file_range to a stdout that is a file (cat, cp).
record() {
	{
		# shellcheck disable=SC2086 # BUFFER is -n or nothing
		rr_limited record $BUFFER -o "$dir/trace" "$@" <"$FIXTURES/poem.txt" 2>"$dir/record.err"
		echo $? >"$dir/status"
	} | cat >"$dir/record.out"
	recorded=$(cat "$dir/status")
	case $recorded in 124 | 137) fail "not recorded in $LIMIT s" ;; esac
	[ -e "$dir/trace/version" ] || fail "no trace" "$dir/record.err"
	if grep -qE '^\[(FATAL|ERROR)|rr-warden' "$dir/record.err"; then
		fail "rr failed while recording" "$dir/record.err"
	fi
	without_rr_lines "$dir/record.err"
}

# replay LABEL [VARIABLE=VALUE]: to the end, with the output compared.
replay() {
	label=$1
	shift
	timeout -k 5 "$LIMIT" env "$@" "$RR_WARDEN" rr --pmu="$PMU" --rr="$RR" \
		replay -a "$dir/trace" </dev/null >"$dir/$label.out" 2>"$dir/$label.err"
	status=$?
	[ $status -ne 124 ] || fail "$label: not at the end in $LIMIT s" "$dir/$label.err"
	[ $status -eq 0 ] || fail "$label: rr ended with $status" "$dir/$label.err"
	without_rr_lines "$dir/$label.err"
	cmp "$dir/record.out" "$dir/$label.out" >"$dir/cmp" 2>&1 ||
		fail "$label: stdout differs from the recording's" "$dir/cmp"
	cmp "$dir/record.err.program" "$dir/$label.err.program" >"$dir/cmp" 2>&1 ||
		fail "$label: stderr differs from the recording's" "$dir/cmp" "$dir/$label.err"
}

# A native run must print the same and end the same way.
compare_with_native() {
	(exec "$@") <"$FIXTURES/poem.txt" >"$dir/native.out" 2>/dev/null
	native=$?
	[ $native -eq "$recorded" ] || fail "ended with $recorded, without rr with $native"
	cmp "$dir/native.out" "$dir/record.out" >"$dir/cmp" 2>&1 ||
		fail "stdout differs from a run without rr" "$dir/cmp"
}

branches() {
	sed -n 's/.*branches[=: ]*\([0-9][0-9]*\).*/\1/p' "$1" | tail -n 1
}

# How a way of counting is asked for. On a processor that lacks debug registers or the trap of rdtsc,
# every way is without them. statusless: as if the status of each debug trap were lost, see
# worker/softpmu/legs/trapcode.h.
variables() {
	case $1 in
	statusless) echo "RR_WARDEN_SOFTPMU=legs RR_WARDEN_SOFTPMU_LACKS=status" ;;
	lacking) echo RR_WARDEN_SOFTPMU_LACKS=debug,rdtsc ;;
	*) echo "RR_WARDEN_SOFTPMU=$1" ;;
	esac
}

# Replaying checks every count against the trace; the totals must agree as well: of the program run
# in the code cache, natively between breakpoints, the same where no debug trap says what it was, in
# plain single steps, and without the help of the processor. And what was recorded without the cache
# replays in it.
compare_counts() {
	counted=$(branches "$dir/replay.stats")
	for way in legs statusless step lacking; do
		# shellcheck disable=SC2046 # words
		replay "$way" $(variables "$way") RR_WARDEN_SOFTPMU_STATS="$dir/$way.stats"
		other=$(branches "$dir/$way.stats")
		[ "${counted:-none}" = "$other" ] ||
			fail "counted '$counted' branches, $(variables "$way") '$other'"
	done
	rm -rf "$dir/trace"
	RR_WARDEN_SOFTPMU=legs
	export RR_WARDEN_SOFTPMU
	record "$@"
	unset RR_WARDEN_SOFTPMU
	replay legs_in_cache
}

# What is recorded in one way replays in every way, and all count the same.
mix() {
	for recorder in $WAYS; do
		RR_WARDEN_SOFTPMU=$recorder
		export RR_WARDEN_SOFTPMU
		rm -rf "$dir/trace"
		record "$@"
		unset RR_WARDEN_SOFTPMU
		counted=""
		for player in $WAYS; do
			replay "$recorder-$player" RR_WARDEN_SOFTPMU="$player" \
				RR_WARDEN_SOFTPMU_STATS="$dir/$player.stats"
			other=$(branches "$dir/$player.stats")
			if [ -z "$other" ] || [ "${counted:=$other}" != "$other" ]; then
				fail "$recorder-$player counted '$other' branches, not '$counted'"
			fi
			rm -f "$dir/$player.stats"
		done
	done
}

run_program() {
	kind=$1
	shift
	if [ "$PMU" = software ] && { [ "$kind" = mixed ] || [ -n "$MIX" ]; }; then
		mix "$@"
		return
	fi
	record "$@"
	replay replay RR_WARDEN_SOFTPMU_STATS="$dir/replay.stats"
	case $kind in fixed | count) compare_with_native "$@" ;; esac
	if [ "$kind" = count ] && [ "$PMU" = software ]; then
		compare_counts "$@"
	fi
}

# drive_replay SCRIPT OPTION...: gdb runs the script on a replay, and prints what it expects.
drive_replay() {
	script=$1
	shift
	rr_apart replay "$@" -d "$dir/gdb" "$dir/trace" </dev/null >"$dir/gdb.out" 2>"$dir/gdb.err"
	[ $? -ne 124 ] || fail "gdb was not done in $LIMIT s" "$dir/gdb.out"
	sed -n 's/^# expect: //p' "$script" | awk -v out="$dir/gdb.out" '
		{ while ((more = (getline line < out)) > 0 && line !~ $0)
			;
		  if (more <= 0) { print "never came: " $0; exit 1 } }' >"$dir/expect" ||
		fail "$(cat "$dir/expect") (lacking: ${RR_WARDEN_SOFTPMU_LACKS:-nothing})" \
			"$dir/gdb.out" "$dir/gdb.err"
}

# A gdb script in reverse/ says in its comments which program it is about, what must come, in this
# order, in what gdb prints, whether it is about the last process that was forked, and whether it
# wants a namespace of process numbers for itself.
run_reverse() {
	script=$1
	# shellcheck disable=SC2046 # words
	set -- $(sed -n 's/^# program: //p' "$script")
	program=$1
	shift
	record "$PROGRAMS/$program" "$@"
	set --
	if grep -qx '# process: last' "$script"; then
		set -- -f "$("$RR" ps "$dir/trace" | awk 'END { print $1 }')"
	fi
	if grep -qx '# namespace: pid' "$script"; then
		if ! unshare -Urpf --mount-proc true 2>/dev/null; then
			echo "skipped: $name: no user namespace can be made"
			exit 0
		fi
		APART=1
	fi
	cp "$script" "$dir/script.gdb"
	# shellcheck disable=SC2016 # for the other script
	printf '#!/bin/sh\nexec gdb -nx -batch "$@" -x "${0%%/gdb}/script.gdb"\n' >"$dir/gdb"
	chmod +x "$dir/gdb"
	drive_replay "$script" "$@"
	[ "$PMU" = software ] || return 0
	for lack in debug,rdtsc status; do
		export RR_WARDEN_SOFTPMU_LACKS=$lack
		drive_replay "$script" "$@"
	done
}

# run_one "RUN|NAME|KIND|COMMAND": a process of its own.
run_one() {
	IFS='|' read -r run name kind command <<-END
		$1
	END
	dir=$(mktemp -d "$SCRATCH/$name.XXXXXX") || exit 2
	trap 'rm -rf "$dir"' EXIT
	export HOME="$dir" LC_ALL=C
	cd "$dir" || exit 2
	if [ "$kind" = reverse ]; then
		run_reverse "$command"
	else
		eval "set -- $command"
		run_program "$kind" "$@"
	fi
	echo "pass $name"
}

if [ "${1:-}" = --one ]; then
	run_one "$2"
	exit
fi

BUFFER="" KEEP="" MIX="" JOBS=2 LIMIT=300
while getopts nkmj:t: option; do
	case $option in
	n) BUFFER=-n ;;
	k) KEEP=$(mktemp -d "${TMPDIR:-/tmp}/corpus-failed.XXXXXX") ;;
	m) MIX=1 ;;
	j) JOBS=$OPTARG ;;
	t) LIMIT=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/corpus.XXXXXX") || exit 2
trap 'rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT TERM HUP
FIXTURES=$SCRATCH/files
mkdir "$FIXTURES"
seq 1 3 400 >"$FIXTURES/numbers.txt"
for verse in 1 2 3 4 5 6; do
	echo "The $verse. time the clock struck, the cat looked up"
	echo "and nothing, nothing else occurred."
done >"$FIXTURES/poem.txt"
WAYS=${WAYS:-run legs}
export RR_WARDEN PROGRAMS PMU RR BUFFER KEEP MIX WAYS LIMIT SCRATCH FIXTURES

# The wanted lines of the list, once for each run.
list() {
	{
		# The paths stay variables until the line is evaluated: they may hold spaces.
		# shellcheck disable=SC2016
		sed -e '/^#/d' -e '/^$/d' -e 's#%P#"$PROGRAMS"#g' -e 's#%F#"$FIXTURES"#g' \
			-e 's/ *| */|/' -e 's/ *| */|/2' "$here/corpus.list"
		for script in "$here"/reverse/*.gdb; do
			base=${script##*/}
			echo "${base%.gdb}|reverse|$script"
		done
	} | while IFS= read -r line; do
		[ $# -eq 0 ] || case " $* " in *" ${line%%|*} "*) ;; *) continue ;; esac
		printf '%s|%s\0' "$run" "$line"
	done
}

# Runs everything, and prints failures at once and the progress.
all=1
while [ "$all" -le "$RUNS" ]; do
	run=$all
	list "$@"
	all=$((all + 1))
done >"$SCRATCH/todo"
total=$(tr -cd '\0' <"$SCRATCH/todo" | wc -c)
xargs -0 -P "$JOBS" -I '{}' sh "$0" --one '{}' <"$SCRATCH/todo" 2>&1 | tee "$SCRATCH/results" |
	awk -v total="$total" '
		!/^pass / { print; fflush() }
		/^(pass|FAIL) / && ++done % 10 == 0 { print "progress: " done " of " total; fflush() }'
passed=$(grep -c '^pass ' "$SCRATCH/results")
failed=$(grep -c '^FAIL ' "$SCRATCH/results")
[ -z "$KEEP" ] || rmdir "$KEEP" 2>/dev/null
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
