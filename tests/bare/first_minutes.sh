#!/bin/sh
# The first minutes of somebody who is not root, on a machine that has pip or npm, and neither rr nor gdb
# nor a compiler: install, configure, and the first crash report with two commands. For a bare root (see
# newcomer.sh), whose user can use sudo once, to get pip or npm, and loses it then. The folder of this
# script holds the packages, judge.sh and a program that crashes.
#
#	first_minutes.sh pip|npm
set -eu
here=$(cd "$(dirname "$0")" && pwd)
# shellcheck source=../packages/judge.sh
. "$here/judge.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT INT TERM
way=$1

get_ready() {
	case $way in pip) package=python3-venv ;; npm) package=npm ;; esac
	sudo sh -ec "export DEBIAN_FRONTEND=noninteractive
		apt-get -qq update && apt-get -qq -y --no-install-recommends install $package
		rm /etc/sudoers.d/newcomer"
}
has_nothing() { for program in rr gdb gcc rr-warden; do ! command -v $program || return 1; done; }
is_not_root() { [ "$(id -u)" != 0 ] && ! sudo -n true; }

install_it() {
	case $way in
	pip) python3 -m venv "$HOME/.rr-warden" && "$HOME/.rr-warden/bin/pip" install --quiet --no-index --find-links "$here" 'rr-warden[rr,gdb]' ;;
	npm) npm install --offline --no-audit --no-fund --loglevel=error --prefix "$HOME/.rr-warden" "$here"/rr-warden-*.tgz ;;
	esac
}
case $way in
pip) warden=$HOME/.rr-warden/bin/rr-warden ;;
npm) warden=$HOME/.rr-warden/node_modules/.bin/rr-warden ;;
esac

# What the hosts take: a command that is there.
configures() { "$warden" config claude && "$warden" config claude | grep -q rr-warden; }

# said PATTERN...: the log of the command before has all of them.
said() { for pattern in "$@"; do grep -q -- "$pattern" "$log.report" || return 1; done; }

try "$way: is there" get_ready
try "$way: and nothing else that is needed" has_nothing
try "$way: this user is not root and cannot become root" is_not_root
try "$way: one command installs it" install_it
try "$way: one command configures a host" configures
try "$way: doctor names the rr and the gdb that came along" sh -c "'$warden' doctor --record | tr -s ' \n' '  ' | tee '$log.report'"
try "$way: both are used" said 'rr version [^ ]* ([^)]*): came with rr-warden; PATH has none' \
	'GNU gdb .*: came with rr-warden; PATH has none' 'replayed it to the end'

cd "$HOME"
first() { "$warden" record-until -n 1 --trace-dir="$HOME/trace" -- "$here/crash"; [ $? = 1 ]; }
second() { "$warden" explain "$HOME/trace" >"$log.report"; said SIGSEGV; }
try "$way: the first command records the crash" first
try "$way: the second explains it" second
cat "$log.report"
rm -f "$log.report"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
