#!/bin/sh
# What a reviewer should never have to say: format, length, direction of includes, and what cppcheck,
# clang-tidy and shellcheck find. Changes no source. What was clean is not looked at again while it, its
# headers and the flags are the same; build/style remembers it.
#
#   style.sh [CPPFLAG]...     flags that the compiler gets, for clang-tidy
set -u
cd "$(dirname "$0")/.." || exit 1

LINES_MAX=600
README_MAX=200
FILES_MAX=28 # .c and .h in a folder of worker/
REMEMBERED=${BUILD:-build}/style
status=0
sources=$(find supervisor worker mcp sandbox tests -name '*.[ch]' | LC_ALL=C sort)
# Programs to record are as users write them; some are broken on purpose.
units=$(echo "$sources" | grep '\.c$' | grep -vE '^tests/(fidelity/)?programs/')
scripts=$(find packaging tests -name '*.sh'; echo .ci/run)

complain() {
	echo "check-style: $1" >&2
	status=1
}

# may_include FOLDER ALLOWED...: code in the folder may include only itself and these.
may_include() {
	folder=$1
	allowed=$(echo "$@" | tr ' ' '|')
	found=$(grep -rnE '^#[ \t]*include "' "$folder" --include='*.[ch]' | grep -vE "include \"($allowed)/")
	[ -z "$found" ] || complain "$folder may include from $* only, from the root:
$found"
}

check_format() {
	# shellcheck disable=SC2086
	clang-format --dry-run -Werror $sources || complain "run clang-format -i on these"
}

check_length() {
	# shellcheck disable=SC2086
	found=$(wc -l $sources | awk -v most=$LINES_MAX '$1 > most && $2 != "total"')
	[ -z "$found" ] || complain "$LINES_MAX lines are allowed, but these have more:
$found"
}

# check_layers FOLDER ALLOWED LAYER...: folders in a folder, lowest first. Code includes only what is in its own
# one, in a lower one, or allowed to all.
check_layers() {
	folder=$1
	below=$2
	shift 2
	for layer in "$@"; do
		below="$below|$folder/$layer/"
		found=$(grep -rnE '^#[ \t]*include "worker/' "$folder/$layer" --include='*.[ch]' | grep -vE "include \"($below)")
		[ -z "$found" ] || complain "$folder/$layer may include only what is below it:
$found"
	done
}

# A source with its header includes no other in a circle, and no folder does. Three pairs of the counter's library
# still do, each in one folder.
check_circles() {
	included=$(grep -roE '^#[ \t]*include "worker/[^"]*' worker --include='*.[ch]' | sed 's/\.[ch]:[^"]*"/ /; s/\.h$//')
	found=$(echo "$included" | awk '$1 != $2' | grep -vxF \
		-e 'worker/softpmu/cache/revive worker/softpmu/cache/space' \
		-e 'worker/softpmu/traps/processor worker/softpmu/traps/debugregs' \
		-e 'worker/softpmu/traps/tracees worker/softpmu/traps/signalframe' | tsort 2>&1 >/dev/null)
	[ -z "$found" ] || complain "these include each other:
$found"
	found=$(echo "$included" | sed -E 's|/[^/ ]*( \|$)|\1|g' | awk '$1 != $2' | tsort 2>&1 >/dev/null)
	[ -z "$found" ] || complain "these folders include each other:
$found"
}

# A folder is one idea, and a reader can see it at once.
check_folders() {
	found=$(find worker -name '*.[ch]' | sed 's|/[^/]*$||' | sort | uniq -c | awk -v most=$FILES_MAX '$1 > most')
	[ -z "$found" ] || complain "$FILES_MAX files are allowed in a folder, but these have more:
$found"
}

check_includes() {
	may_include supervisor mcp sandbox
	may_include worker sandbox
	may_include worker/x86
	lower='x86 serve gdb trace record session read breaks moment run inspect'
	# shellcheck disable=SC2086
	check_layers worker 'worker/guardheap/layout\.h' $lower investigate
	check_layers worker/investigate "worker/guardheap/layout\\.h|worker/($(echo "$lower" | tr ' ' '|'))/" \
		code counting search printed calls values heap memcheck files fault threads races compare report
	found=$(grep -rlE '"worker/session/(launch/launched|replay_inside)\.h"' worker | grep -v '^worker/session/')
	[ -z "$found" ] || complain "struct replay and struct launched are opaque outside worker/session:
$found"
	# A library of its own, which only shares x86/.
	check_layers worker/softpmu worker/x86/ base follow traps rrfix cache calls translate scan races legs
	# Another one, which shares x86/ too; the worker knows its table.
	may_include worker/guardheap worker/x86
	may_include mcp
	may_include sandbox
	found=$(grep -rnE '^#[ \t]*include <(seccomp|sys/(capability|socket|ptrace)|ini)' mcp)
	[ -z "$found" ] || complain "mcp knows JSON and nothing else:
$found"
}

# Every setting has its line in the example configuration.
check_settings() {
	sed -n 's/^[ \t]*X([A-Z_]*, "\([a-z_]*\)", "\([a-z_]*\)".*/\1 \2/p' supervisor/settings.h |
		while read -r section key; do
			sed -n "/^\[$section\]/,/^\[/p" packaging/rr-warden.conf | grep -q "^# $key =" ||
				echo "packaging/rr-warden.conf lacks [$section] $key"
		done | grep . >&2 && complain "the example configuration is behind supervisor/settings.h"
}

# Both pictures of the README's session show the same run, and every picture is there.
check_pictures() {
	light=$(grep '^<text' .github/session-light.svg)
	[ "$light" = "$(grep '^<text' .github/session-dark.svg)" ] ||
		complain "the light and the dark picture are of different runs: run make picture"
	missing=$(grep -oE '\.github/[a-z-]+\.(svg|png)' README.md |
		while read -r picture; do [ -s "$picture" ] || echo "$picture"; done)
	[ -z "$missing" ] || complain "README.md shows what is not there: $missing"
}

# The README's table has every declared tool, and no other, and all of it is a few minutes' reading.
check_tools() {
	[ "$(wc -l <README.md)" -le "$README_MAX" ] || complain "README.md has more than $README_MAX lines"
	tools=$(sed -n 's/^TOOL([A-Z_]*, \([a-z_]*\),.*/rr_\1/p' sandbox/wire/tools.def)
	[ -n "$tools" ] || complain "sandbox/wire/tools.def declares no tool"
	for tool in $tools; do
		grep -q "\`$tool\`" README.md || complain "README.md does not name $tool"
	done
	grep -E "^\| [^\`|]* \| \`rr_" README.md | grep -oE "rr_[a-z_]+" | sort -u |
		while read -r tool; do
			echo "$tools" | grep -qx "$tool" || echo "README.md names $tool, which is no tool"
		done | grep . >&2 && complain "README.md is ahead of sandbox/wire/tools.def"
}

# CONTRIBUTING's map has every folder of the sources, and no other.
check_map() {
	git ls-files '*/*.c' | grep -vE '^tests/|/main\.c$' | sed 's#[^/]*$##' | LC_ALL=C sort -u | while read -r folder; do
		grep -q "^| \`$folder\`" .github/CONTRIBUTING.md || echo "CONTRIBUTING.md's map lacks $folder"
	done | grep . >&2 && complain "the map of CONTRIBUTING.md is not the tree"
	# shellcheck disable=SC2016
	sed -n 's/^| `\([a-z0-9/]*\/\)` |.*/\1/p' .github/CONTRIBUTING.md | while read -r folder; do
		[ -d "$folder" ] || echo "CONTRIBUTING.md's map has $folder"
	done | grep . >&2 && complain "the map of CONTRIBUTING.md is ahead of the tree"
}

# `make help` lists every target.
check_help() {
	help=$(make -s help)
	sed -n 's/^\.PHONY: //p' Makefile tests/*.mk packaging/*.mk | tr ' ' '\n' | grep -vE '^(FORCE|all|\$.*)$' |
		while read -r target; do
			echo "$help" | grep -q "make $target " || echo "make help lacks $target"
		done | grep . >&2 && complain "add \"## text\" to the rules of these targets"
}

# Examples get only what they need, and install only what was meant.
check_examples() {
	grep -q '^ *automountServiceAccountToken: false' packaging/examples/kubernetes-job.yaml ||
		complain "packaging/examples/kubernetes-job.yaml gives the pod a token of the cluster"
	grep -q '^permissions:$' packaging/examples/github-actions.yml ||
		complain "packaging/examples/github-actions.yml does not limit permissions"
	for file in packaging/examples/github-actions.yml packaging/examples/gitlab-ci.yml; do
		grep -q 'RR_WARDEN_SHA256.*| sha256sum --check' $file ||
			complain "$file installs a package without its checksum"
	done
}

check_cppcheck() {
	mkdir -p "$REMEMBERED/cppcheck"
	# shellcheck disable=SC2086
	cppcheck -j "$(nproc)" --cppcheck-build-dir="$REMEMBERED/cppcheck" --quiet --std=c11 --enable=warning,performance,portability --inline-suppr \
		--suppress=missingIncludeSystem --error-exitcode=1 -D_GNU_SOURCE -D__x86_64__ -I. \
		--include="$(pkg-config --variable=includedir jansson)/jansson.h" \
		$units || complain "cppcheck found the above"
}

# tidy_one UNIT [CPPFLAG]...: a process of its own.
tidy_one() {
	unit=$1
	shift
	# shellcheck disable=SC2046
	known=$REMEMBERED/tidy/$({
		echo "$*"
		clang-tidy --version
		cat .clang-tidy $(clang -MM "$@" "$unit" | sed 's/^[^:]*://; s/\\$//')
	} | sha256sum | cut -d' ' -f1)
	[ ! -e "$known" ] || return 0
	if found=$(clang-tidy --quiet --warnings-as-errors='*' "$unit" -- -std=c17 "$@" 2>&1); then
		: >"$known"
	else
		echo "$found" | grep -E 'warning:|rror' >&2
		return 1
	fi
}

check_tidy() {
	mkdir -p "$REMEMBERED/tidy"
	# shellcheck disable=SC2086
	printf '%s\n' $units | xargs -P "$(nproc)" -I '{}' tests/style.sh --tidy-one '{}' "$@" ||
		complain "clang-tidy found the above"
}

# gdb runs all of its scripts in one module.
check_names() {
	found=$(sed -nE 's/^(def |class )([A-Za-z0-9_]+).*/\2/p; s/^([A-Za-z0-9_]+) = .*/\1/p' worker/gdb/script/*.py |
		sort | uniq -d)
	[ -z "$found" ] || complain "more than one of gdb's scripts defines these:
$found"
}

check_scripts() {
	# shellcheck disable=SC2086
	shellcheck -x -P SCRIPTDIR $scripts || complain "shellcheck found the above"
}

if [ "${1:-}" = --tidy-one ]; then
	shift
	tidy_one "$@"
	exit
fi

check_format
check_length
check_includes
check_circles
check_folders
check_settings
check_tools
check_pictures
check_map
check_help
check_examples
check_names
check_scripts
check_cppcheck
check_tidy "$@"
[ $status = 0 ] && echo "check-style: clean"
exit $status
