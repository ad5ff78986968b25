#!/bin/sh
# Prints the lowest version of glibc that the programs below a folder run with.
#
#	glibc.sh FOLDER
set -eu

find "$1" -type f \( -perm -u+x -o -name '*.so*' \) -exec readelf --version-info {} + 2>/dev/null |
	grep -o 'GLIBC_[0-9][0-9.]*' | cut -d_ -f2 | sort -Vu | tail -n 1 | grep .
