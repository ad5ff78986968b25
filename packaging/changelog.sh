#!/bin/sh
# Prints debian/changelog as an RPM changelog. One change a line; continued lines are joined.
#
#	changelog.sh CHANGELOG
set -eu

# Forward through the file: a version, its changes, and then who and when, which come first in RPM's.
awk '
/^[a-z]/ { version = $2; gsub(/[()]/, "", version); changes = "" }
/^  \* / { sub(/^  \* /, ""); changes = changes "- " $0 "\n" }
/^    [^ ]/ { sub(/^ */, ""); sub(/\n$/, " " $0 "\n", changes) }
/^ -- / {
	sub(/^ -- /, "")
	who = $0; sub(/  .*/, "", who)
	when = $0; sub(/^.*  /, "", when)
	split(when, part, /[ ,]+/)
	printf "* %s %s %02d %s %s - %s-1\n%s\n", part[1], part[3], part[2], part[4], who, version, changes
}' "$1"
