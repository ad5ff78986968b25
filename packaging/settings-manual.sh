#!/bin/sh
# Prints rr-warden.conf(5): the template, with @SETTINGS@ replaced by what `rr-warden --help
# settings` says about every setting and @VERSION@ by the version. Fails if the program lists none.
#
#   settings-manual.sh RR-WARDEN TEMPLATE
set -eu

program=$1 template=$2
version=$("$program" --version | sed 's/^[^0-9]*//')

# In: "[traces]", and "  --trace-dir  where new traces go; in a file: directory" in one or more lines.
# Out: a section and an item.
settings=$("$program" --help settings | awk '
function quoted(text) { gsub(/\\/, "\\e", text); gsub(/-/, "\\-", text); return text }
function print_item(  key) {
	if (flag == "") return
	key = substr(flag, 3)
	if (match(text, /; in a file: [a-z_]+/)) {
		key = substr(text, RSTART + 13, RLENGTH - 13)
		text = substr(text, 1, RSTART - 1) substr(text, RSTART + RLENGTH)
	}
	print ".TP\n\\fB" quoted(key) "\\fR (\\fB" quoted(flag) "\\fR)"
	print toupper(substr(text, 1, 1)) quoted(substr(text, 2)) "."
	flag = ""
	count++
}
/^\[[a-z]+\]$/ { print_item(); print ".SS " quoted($0); within = 1; next }
within && /^  --/ { print_item(); flag = $1; text = ""; sub(/^ +[^ ]+/, "") }
within && flag != "" && NF > 0 { sub(/^ +/, ""); text = text (text == "" ? "" : " ") $0 }
END { print_item(); if (count == 0) exit 1 }') || {
	echo "settings-manual.sh: $program --help settings lists no setting that this script understands" >&2
	exit 1
}

# Through the environment, because awk would read the escapes of a -v value.
settings=$settings version=$version awk '
/^@SETTINGS@$/ { print ENVIRON["settings"]; next }
{ gsub(/@VERSION@/, ENVIRON["version"]); print }' "$template"
