#!/bin/sh
# Copies the copyright file of a Debian package that brings a file. Fails if none brings it, because its
# licence is then not known.
#
#	licence.sh FILE FOLDER	writes FOLDER/PACKAGE, and prints "PACKAGE VERSION"
set -eu
file=$1 folder=$2

# dpkg may know it under / or under /usr, which are one.
package=$(dpkg-query -S "$(realpath "$file")" 2>/dev/null || dpkg-query -S "$file" 2>/dev/null ||
	dpkg-query -S "${file#/usr}" 2>/dev/null || dpkg-query -S "/usr$file" 2>/dev/null) || {
	echo "licence: no Debian package brings $file, so its licence is not known" >&2
	exit 1
}
package=${package%%: *}
cp -L "/usr/share/doc/${package%%:*}/copyright" "$folder/${package%%:*}"
dpkg-query -W -f '${binary:Package} ${Version}\n' "$package" | sed 's/:[a-z0-9]* / /'
