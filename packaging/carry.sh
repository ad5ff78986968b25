#!/bin/sh
# Copies shared libraries that a file was linked with into its own folder, under the names that the
# dynamic linker looks for.
#
#	carry.sh FILE PREFIX	all whose names begin so; there must be one
set -eu
file=$1 prefix=$2
folder=$(dirname "$file")

ldd "$file" | sed -n "s/^[ 	]*\(${prefix}[^ ]*\) => \(\/.*\) (0x[0-9a-f]*)\$/\1 \2/p" |
	while read -r soname path; do
		cp --remove-destination "$path" "$folder/$soname"
	done
[ -n "$(find "$folder" -name "$prefix*")" ] || {
	echo "carry: the dynamic linker finds no $prefix for $file" >&2
	exit 1
}
