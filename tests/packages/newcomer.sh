#!/bin/sh
# What somebody does who has only the packages: installs the .deb, the wheel and the npm packages from
# their files as the README says, asks the doctor for a proof, and uses each with real MCP clients. For
# a bare root that is deleted afterwards (see newcomers.sh), as a user who can use sudo without a
# password. The folder of this script holds the packages, the clients and a program that crashes.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/judge.sh"
log=$(mktemp)
trap 'rm -f "$log"' EXIT INT TERM

apt() { sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@"; }

nothing_yet() { ! command -v rr-warden && ! command -v rr && ! command -v gdb && ! command -v gcc; }

# clients SERVER: the SDK goes through record, replay and backtrace; the Inspector lists and calls.
clients() { "$here/clients/node_modules/.bin/node" "$here/clients/check.mjs" "$1" "$here/crash" sdk-v1 inspector; }

# inhabit NAME PROGRAM: the same for all ways to install.
inhabit() {
	try "$1: the doctor records and replays" "$2" doctor --record
	try "$1: an SDK client and the Inspector list the tools and call them" clients "$2"
}

no_program() { ! command -v rr-warden && ! [ -e /usr/libexec/rr-warden ]; }

try "neither rr-warden nor rr, gdb or a compiler is on this machine" nothing_yet
try "apt: knows its packages" apt update

try "deb: apt installs it from the file, with rr and gdb" apt install "$here"/rr-warden_*_amd64.deb
inhabit deb /usr/bin/rr-warden
try "deb: apt removes it" apt purge rr-warden
try "deb: the program is gone" no_program

# Without an index, so that nothing else can be installed than the file. pipx may want a newer pip for
# its own environment, which Debian has as a wheel.
try "wheel: pipx is there" apt install pipx
try "wheel: pipx installs it from the file" env PIP_NO_INDEX=1 PIP_FIND_LINKS=/usr/share/python-wheels \
	pipx install "$here"/rr_warden-*.whl
inhabit wheel "$HOME/.local/bin/rr-warden"
try "wheel: pipx removes it" pipx uninstall rr-warden
try "wheel: the program is gone" test ! -e "$HOME/.local/bin/rr-warden"

mkdir "$HOME/project"
cd "$HOME/project"
try "npm: npm is there" apt install npm
try "npm: npm installs it from the files" npm install --offline --no-audit --no-fund --loglevel=error \
	"$here"/rr-warden-linux-x64-*.tgz "$here"/rr-warden-[0-9]*.tgz
try "npm: npx runs it" npx --offline rr-warden --version
inhabit npm "$HOME/project/node_modules/.bin/rr-warden"
try "npm: npm removes it" npm uninstall --offline --no-audit --no-fund rr-warden rr-warden-linux-x64
try "npm: the program is gone" test ! -e "$HOME/project/node_modules/.bin/rr-warden"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
