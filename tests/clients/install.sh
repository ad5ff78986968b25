#!/bin/sh
# Installs the pinned clients into a scratch folder (first argument), once for each state of
# package.json. Needs npm; everything else comes from the registry.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$1

command -v npm >/dev/null || {
	echo "npm is missing: install Node 20 or later (Debian: apt-get install npm)" >&2
	exit 1
}
mkdir -p "$folder"
if ! cmp -s "$here/package.json" "$folder/installed.json"; then
	cp "$here/package.json" "$folder/package.json"
	(cd "$folder" && npm install --no-audit --no-fund --loglevel=error)
	cp "$here/package.json" "$folder/installed.json"
fi
# npm may have been told not to run install scripts; node@22 is nothing without its own.
[ -x "$folder/node_modules/node/bin/node" ] ||
	(cd "$folder/node_modules/node" && node installArchSpecificPackage.js)
