#!/bin/sh
# Installs the wheel, the npm packages and the MCP bundle from their files, without a network, into a new home as an
# ordinary user, and lets a real MCP client record and replay through each. See also deb.sh.
#
#	check.sh BUILD CLIENTS PROGRAM	CLIENTS: what `make deps-clients` made; PROGRAM: one that crashes
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
clients=$2 program=$3
. "$here/judge.sh"
export npm_config_offline=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false

scratch=$(mktemp -d /var/tmp/rr-warden-packages.XXXXXX)
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT INT TERM
home=$scratch/home
mkdir "$home" "$scratch/path"
ln -s "$(command -v readlink)" "$scratch/path/"
cp "$build"/rr_warden_rr-*.whl "$build"/rr-warden-rr-linux-x64-*.tgz "$build"/rr_warden_gdb-*.whl "$build"/rr-warden-gdb-linux-x64-*.tgz "$build"/rr_warden-*.whl "$build"/rr-warden-[0-9]*.tgz "$build"/rr-warden-linux-x64-*.tgz "$program" "$scratch/"
program=$scratch/$(basename "$program")
wheel=$(echo "$scratch"/rr_warden-*.whl)
rr_platform=$(echo "$scratch"/rr-warden-rr-linux-x64-*.tgz)
main=$(echo "$scratch"/rr-warden-[0-9]*.tgz)
platform=$(echo "$scratch"/rr-warden-linux-x64-*.tgz)

# as_user COMMAND...: as an ordinary user. Root becomes a user without a name.
as_user() {
	if [ "$(id -u)" = 0 ]; then
		setpriv --reuid 29871 --regid 29871 --clear-groups env HOME="$home" TMPDIR="$home" "$@"
	else
		env HOME="$home" TMPDIR="$home" "$@"
	fi
}
if [ "$(id -u)" = 0 ]; then
	chown -R 29871:29871 "$scratch"
	as_user test -r "$clients/check.mjs" || {
		echo "check-packages: other users cannot read $clients, so run this as an ordinary user" >&2
		exit 1
	}
fi

node=$clients/node_modules/.bin/node
client() { as_user "$node" "$clients/check.mjs" "$1" "$program" sdk-v1; }

# Without rr and gdb the server still answers, and says how to get them.
names_what_is_missing() {
	as_user env PATH="$scratch/path" "$1" doctor >"$scratch/missing" 2>&1 && return 1
	grep 'install.*apt install rr' "$scratch/missing" && grep 'install.*apt install gdb' "$scratch/missing"
}

# Where PATH has gdb and no rr, the package's own rr records and replays.
brings_rr() {
	as_user mkdir -p "$home/gdb" && as_user ln -sf "$(command -v gdb)" "$home/gdb/" || return 1
	as_user env PATH="$home/gdb" "$1" doctor --record >"$scratch/brought" 2>&1
	cat "$scratch/brought"
	tr -s ' \n' '  ' <"$scratch/brought" | grep "rr version .*$2.*came with rr-warden; PATH has none" &&
		grep 'replayed it to the end' "$scratch/brought"
}

# Where PATH has neither, the packages' own rr and gdb do, with gdb's own Python: the crash report shows it.
brings_both() {
	as_user env PATH="$scratch/path" "$1" doctor --record >"$scratch/brought" 2>&1
	cat "$scratch/brought"
	tr -s ' \n' '  ' <"$scratch/brought" | grep "GNU gdb .*$2.*came with rr-warden; PATH has none" &&
		grep 'replayed it to the end' "$scratch/brought" &&
		"${1%/bin/*}/$2" --nx --batch -ex 'python import json; print(json.__file__)' 2>&1 | grep "${2%/bin/gdb}/lib/python3"
}

# inhabit NAME PROGRAM: the same for all ways to install.
inhabit() {
	try "$1: doctor finds everything it needs" as_user "$2" doctor
	try "$1: a client of the TypeScript SDK records and replays" client "$2"
	try "$1: says how to get rr and gdb where they are missing" names_what_is_missing "$2"
}

# Like pipx: a virtual environment below a hidden folder, and a link in ~/.local/bin.
venv=$home/.local/share/pipx/venvs/rr-warden
try "wheel: pip installs it from the file" as_user sh -ec "
	python3 -m venv '$venv'
	'$venv/bin/pip' install --quiet --no-index '$wheel'
	mkdir -p '$home/.local/bin'
	ln -s '$venv/bin/rr-warden' '$home/.local/bin/rr-warden'"
inhabit wheel "$home/.local/bin/rr-warden"
try "wheel: pip installs rr from the files as an extra" as_user \
	"$venv/bin/pip" install --quiet --no-index --find-links "$scratch" 'rr-warden[rr]'
try "wheel: the extra's rr records and replays where PATH has none" brings_rr "$venv/bin/rr-warden" libexec/rr-warden/rr/bin/rr
try "wheel: pip installs gdb from the files as an extra" as_user \
	"$venv/bin/pip" install --quiet --no-index --find-links "$scratch" 'rr-warden[gdb]'
try "wheel: the extra's gdb replays where PATH has none" brings_both "$venv/bin/rr-warden" libexec/rr-warden/gdb/bin/gdb
try "wheel: it holds no Python" sh -c "! unzip -l '$wheel' | grep '\.py\$'"
try "wheel: pip removes all of it" as_user sh -ec "
	'$venv/bin/pip' uninstall --quiet --yes rr-warden rr-warden-rr rr-warden-gdb
	[ -z \"\$(find '$venv' ! -type d -name '*rr-warden*')\" ]"

try "wheel: pip installs all wheels at once, as the README says" as_user sh -ec "
	python3 -m venv '$home/all'
	'$home/all/bin/pip' install --quiet --no-index '$scratch'/rr_warden*.whl"
try "wheel: rr came along" brings_rr "$home/all/bin/rr-warden" libexec/rr-warden/rr/bin/rr

try "npm: installs from the files" as_user npm install --silent --prefix "$home/project" "$platform" "$main"
inhabit npm "$home/project/node_modules/.bin/rr-warden"
try "npm: rr is installed from the files" as_user npm install --silent --prefix "$home/project" "$rr_platform"
try "npm: its rr records and replays where PATH has none" brings_rr \
	"$home/project/node_modules/rr-warden-linux-x64/bin/rr-warden" node_modules/rr-warden-rr-linux-x64/bin/rr
try "npm: gdb is installed from the files" as_user npm install --silent --prefix "$home/project" "$scratch"/rr-warden-gdb-linux-x64-*.tgz
try "npm: its gdb replays where PATH has none" brings_both \
	"$home/project/node_modules/rr-warden-linux-x64/bin/rr-warden" ../rr-warden-gdb-linux-x64/bin/gdb
try "npm: installs all packages at once, as the README says" as_user sh -ec "
	npm install --silent --prefix '$home/all-npm' '$scratch'/rr-warden-*.tgz"
try "npm: rr came along" brings_rr \
	"$home/all-npm/node_modules/rr-warden-linux-x64/bin/rr-warden" node_modules/rr-warden-rr-linux-x64/bin/rr
try "npm: npx runs it from the files" as_user npx --yes --package="$platform" --package="$main" -- rr-warden --version
try "npm: no install scripts" sh -c "! tar -xOzf '$main' package/package.json | grep '\"scripts\"' &&
	! tar -xOzf '$platform' package/package.json | grep '\"scripts\"'"
without() {
	as_user mkdir -p "$home/alone/node_modules" &&
		as_user cp -r "$home/project/node_modules/rr-warden" "$home/alone/node_modules/" || return 1
	# a package that somebody else has put further up
	as_user mkdir -p "$home/node_modules/rr-warden-linux-x64/bin" &&
		as_user cp /bin/true "$home/node_modules/rr-warden-linux-x64/bin/rr-warden" || return 1
	as_user "$home/alone/node_modules/rr-warden/bin/rr-warden" --version && return 1
	as_user "$home/alone/node_modules/rr-warden/bin/rr-warden" --version 2>&1 | grep 'rr-warden-linux-x64, .* is not installed'
}
try "npm: without the platform's package it says what is missing" without

bundle=$(echo "$build"/rr-warden-[0-9]*.mcpb)
bundled=$scratch/bundle/server/bin/rr-warden
try "mcpb: it unpacks as its format says" sh -c "python3 -B '$here/mcpb.py' '$bundle' '$scratch/bundle' >'$scratch/command'"
try "mcpb: hosts start it with the short list of tools" grep -qx "$bundled --tools=core" "$scratch/command"
try "mcpb: a client of the TypeScript SDK records and replays" client "$bundled"
try "mcpb: rr and gdb came along" brings_both "$bundled" libexec/rr-warden/gdb/bin/gdb

try "server.json agrees with the packages" python3 "$here/server_json.py" "$build/server.json" "$wheel" "$main" \
	"$platform" "$bundle"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
