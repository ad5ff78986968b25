#!/bin/sh
# Installs the pinned clients into a scratch folder (first argument), once for each state of
# package.json and agents.json. Needs npm; everything else comes from the registry.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1

command -v npm >/dev/null || {
	echo "npm is missing: install Node 20 or later (Debian: apt-get install npm)" >&2
	exit 1
}

# install FOLDER PACKAGE.JSON: does nothing if that very file was installed before.
install() {
	mkdir -p "$1"
	if cmp -s "$2" "$1/installed.json"; then
		return 0
	fi
	cp "$2" "$1/package.json"
	(cd "$1" && npm install --no-audit --no-fund --loglevel=error) || return 1
	cp "$2" "$1/installed.json"
}

install "$folder" "$here/package.json"
# npm may be configured not to run install scripts, but these two packages need theirs.
[ -x "$folder/node_modules/node/bin/node" ] ||
	(cd "$folder/node_modules/node" && node installArchSpecificPackage.js)

if install "$folder/agents" "$here/agents.json"; then
	(cd "$folder/agents/node_modules/@anthropic-ai/claude-code" && node install.cjs >/dev/null) ||
		echo "Claude Code did not install; its check is skipped" >&2
else
	echo "the agents could not be installed; their checks are skipped" >&2
fi
install "$folder/validators" "$here/validators.json" ||
	echo "the validators could not be installed; their checks are skipped" >&2
cp "$here"/*.mjs "$here/tapped.sh" "$folder/"
