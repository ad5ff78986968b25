#!/bin/sh
# Compares how programs end: natively, recorded, and replayed in the code cache, in legs and in single
# steps. The programs are those of programs/: the same kinds of endings (see stage.h there), in several
# builds. gdb looks at each signal and at each handler's first instruction (state.py), and the handler
# says what it was told. The replays must agree byte for byte, and all of them with a native run, but
# for what differences.list says. The last line is "N passed, N failed": kinds, once for each build.
#
#	run.sh [-a] [-k] [-m MODE] [-j JOBS] [-t SECONDS] [BUILD[/FAMILY[/KIND]]...]
#
#	-a	everything; otherwise the part that `make check` runs
#	-k	keep the files of what failed, and say where they are
#	-m	only batch, many kinds in one process, with handlers; alone, each with the default
#		action; child, where the last process is the one; long, without single steps; or
#		refused, where the recorder has to end with a word about it
#	-j	so many at a time (2)
#	-t	time limit of one run (300)
#
# Environment: RR_WARDEN the program (build/bin/rr-warden), FIDELITY the folder of the built programs
# (build/tests/fidelity), RR the rr to use. Must never leave a process or a file behind, except with -k.
set -u

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
RR_WARDEN=${RR_WARDEN:-$root/build/bin/rr-warden}
FIDELITY=${FIDELITY:-$root/build/tests/fidelity}
RR=${RR:-rr}
case $RR_WARDEN in /*) ;; *) RR_WARDEN=$PWD/$RR_WARDEN ;; esac
case $FIDELITY in /*) ;; *) FIDELITY=$PWD/$FIDELITY ;; esac

# Everything runs without address randomisation, so that most addresses agree.
fixed() {
	timeout -k 5 "$LIMIT" setarch -R "$@"
}

# The program's stdout is a pipe everywhere: rr has trouble with files, and terminals differ.
native() {
	(fixed "$program" "$@" 2>"$dir/native.err" && echo 0 >"$dir/native.status" || echo $? >"$dir/native.status") \
		2>/dev/null | cat >"$dir/native.out"
	STATE="$dir/native.state" START=run BEFORE="$GDB_BEFORE" fixed gdb -nx -batch -x "$here/state.py" \
		--args "$program" "$@" </dev/null >"$dir/native.gdb" 2>&1
}

record() {
	{
		fixed "$RR_WARDEN" rr --pmu=software --rr="$RR" record -o "$dir/trace" "$program" "$@" 2>"$dir/record.err"
		echo $? >"$dir/record.status"
	} 2>/dev/null </dev/null | cat >"$dir/record.out"
}

# replay WAY: in a debugger, and what the program prints.
replay() {
	set -- "$1" "$dir/trace"
	[ "$mode" != child ] || set -- "$1" -f "$("$RR" ps "$dir/trace" | awk 'END { print $1 }')" "$2"
	way=$1
	shift
	STATE="$dir/$way.state" GDB_LOG="$dir/$way.gdb" SCRIPT="$here/state.py" RR_WARDEN_SOFTPMU=$way \
		timeout -k 5 "$LIMIT" "$RR_WARDEN" rr --pmu=software --rr="$RR" replay -d "$SCRATCH/gdb" "$@" \
		</dev/null 2>"$dir/$way.err" | cat >"$dir/$way.out"
}

# Says of each kind that it passed, or what differs.
judge() {
	for out in native record $ways; do
		"$program" --text <"$dir/$out.out" >"$dir/$out.text" 2>/dev/null
		"$program" --names <"$dir/$out.out" >"$dir/$out.text.named" 2>/dev/null
	done
	awk -v build="$build" -v mode="$mode" -v family="$family" -v ways="$ways" -v kinds="$*" -v dir="$dir" -v excuses="$here/differences.list" \
		-f "$here/compare.awk"
}

# A kind that rr cannot record: what would come of it must not look like the program.
judge_refused() {
	if [ "$(cat "$dir/record.status")" -ne 0 ] &&
		grep -qE '^rr-warden softpmu: .*which rr cannot record|^\[FATAL ' "$dir/record.err"; then
		echo "pass $build $1"
	else
		echo "FAIL $build $1 (refused):"
		echo "     it ended with $(cat "$dir/record.status"): $(head -c 300 "$dir/record.err" | tr '\n' ' ')"
	fi
}

# Runs the kinds in one process, natively and recorded.
run_kinds() {
	rm -rf "$dir" && mkdir "$dir" && cd "$dir" || exit 2
	if [ "$mode" = refused ]; then
		record "$@"
		judge_refused "$1" >"$dir/verdict"
		return
	fi
	GDB_BEFORE="" SIGINFO=1
	[ "$mode" != child ] || GDB_BEFORE="set follow-fork-mode child"
	case $mode in
	batch) set -- "$handler" "$@" && SIGINFO=0 ;; # the handler tells it
	esac
	export SIGINFO
	native "$@"
	record "$@"
	ways="run legs step"
	case $mode in
	long) ways="run legs" ;;
	batch) shift ;;
	esac
	for way in $ways; do
		replay "$way"
	done
	judge "$@" >"$dir/verdict" || echo "FAIL $build $1: nothing was compared" >>"$dir/verdict"
}

# run_one "BUILD MODE FAMILY KIND...": a process of its own. A kind that breaks the recorder or a replay takes
# those behind it with it, so they run again without it.
run_one() {
	# shellcheck disable=SC2086 # words
	set -- $1
	build=$1 mode=$2 family=$3
	shift 3
	program=$FIDELITY/$build
	handler=-h
	case $build in *dynamic*) handler=-a ;; esac
	dir=$(mktemp -d "$SCRATCH/$build.XXXXXX") || exit 2
	trap 'rm -rf "$dir"' EXIT
	export HOME="$SCRATCH" LC_ALL=C
	while [ $# -gt 0 ]; do
		run_kinds "$@"
		grep -v '^again ' "$dir/verdict"
		if [ -n "$KEEP" ] && grep -q ^FAIL "$dir/verdict"; then
			kept=$KEEP/$build.$(sed -n 's/^FAIL [^ ]* \([^ ]*\).*/\1/p' "$dir/verdict" | head -n 1)
			rm -rf "$kept" && cp -r "$dir" "$kept" && echo "     kept in $kept"
		fi
		# shellcheck disable=SC2046 # words
		set -- $(sed -n 's/^again //p' "$dir/verdict")
	done
}

if [ "${1:-}" = --one ]; then
	run_one "$2"
	exit
fi

ALL="" KEEP="" MODE="batch alone child long refused" JOBS=2 LIMIT=300
while getopts akm:j:t: option; do
	case $option in
	a) ALL=1 ;;
	k) KEEP=$(mktemp -d "${TMPDIR:-/tmp}/fidelity-failed.XXXXXX") ;;
	m) MODE=$OPTARG ;;
	j) JOBS=$OPTARG ;;
	t) LIMIT=$OPTARG ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

SCRATCH=$(mktemp -d "${TMPDIR:-/tmp}/fidelity.XXXXXX") || exit 2
trap 'rm -rf "$SCRATCH"' EXIT
trap 'exit 130' INT TERM HUP
# shellcheck disable=SC2016 # for the other script
printf '#!/bin/sh\nexec gdb -nx -batch "$@" -x "$SCRIPT" >"$GDB_LOG" 2>&1\n' >"$SCRATCH/gdb"
chmod +x "$SCRATCH/gdb"
export RR_WARDEN FIDELITY RR KEEP LIMIT SCRATCH

# "BUILD KIND FAMILY HOW" of every kind of every build.
every() {
	for program in "$FIDELITY"/*; do
		[ -x "$program" ] || continue
		"$program" --list | sed "s/^/${program##*/} /"
	done
}

# The wanted ones, as lines for run_one. With a default action each kind runs in one of the builds,
# with a handler in all of them. plan.awk says which part `make check` has.
every >"$SCRATCH/every"
if [ $# -gt 0 ]; then
	ALL=1
fi
awk -v all="$ALL" -v modes="$MODE" -v wanted="$*" -f "$here/plan.awk" "$SCRATCH/every" >"$SCRATCH/todo"
total=$(wc -l <"$SCRATCH/todo")
xargs -d '\n' -r -P "$JOBS" -I '{}' sh "$0" --one '{}' <"$SCRATCH/todo" 2>&1 | tee "$SCRATCH/results" |
	awk '!/^(pass|progress) / { print; fflush() }
		/^(pass|FAIL) / && ++done % 50 == 0 { print "progress: " done " kinds"; fflush() }'
passed=$(grep -c '^pass ' "$SCRATCH/results")
failed=$(grep -c '^FAIL ' "$SCRATCH/results")
[ -z "$KEEP" ] || rmdir "$KEEP" 2>/dev/null
[ "$total" -gt 0 ] || echo "nothing to run"
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
