#!/bin/sh
# Writes an archive of the files that git knows, with uncommitted changes, to standard output.
# A tree without git is a release: then all of it, except built files.
set -eu
cd "$(dirname "$0")/.."

if [ -e .git ] && command -v git >/dev/null 2>&1; then
	deleted=$(mktemp)
	trap 'rm -f "$deleted"' EXIT INT TERM
	# The tree's owner may be another user than root, who makes bare roots.
	known() { git -c safe.directory='*' ls-files "$@"; }
	known --deleted >"$deleted"
	known --cached -z | tar -cf - --exclude-from="$deleted" --null --no-recursion --files-from=-
else
	tar -cf - --exclude=./build --exclude='./build-*' .
fi
