#!/bin/sh
# Prints rr-warden.conf(5): the template, with @SETTINGS@ replaced by what `rr-warden --help` says
# about every setting and @VERSION@ by the version. Fails if the program lists none.
#
#   settings-manual.sh RR-WARDEN TEMPLATE
set -eu

program=$1 template=$2
version=$("$program" --version | sed 's/^[^0-9]*//')

# In: "[traces]" and "  --trace-dir   directory: where new traces go". Out: a section and an item.
settings=$("$program" --help | awk '
function quoted(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return text }
/^\[[a-z]+\]$/ { print ".SS " quoted($0); within = 1; next }
within && /^  --/ {
	flag = $1
	sub(/^ +[^ ]+ +/, "")
	key = $0; sub(/:.*/, "", key)
	sub(/^[^:]*: /, "")
	print ".TP\n\\fB" quoted(key) "\\fR (\\fB" quoted(flag) "\\fR)"
	print toupper(substr($0, 1, 1)) quoted(substr($0, 2)) "."
	count++
}
END { if (count == 0) exit 1 }') || {
	echo "settings-manual.sh: $program --help lists no setting that this script understands" >&2
	exit 1
}

# Through the environment, because awk would read the escapes of a -v value.
settings=$settings version=$version awk '
/^@SETTINGS@$/ { print ENVIRON["settings"]; next }
{ gsub(/@VERSION@/, ENVIRON["version"]); print }' "$template"
