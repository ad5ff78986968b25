#!/bin/sh
# Writes the release's source archive: the tracked files below one folder, in a fixed order, with one
# date, owner and mode each, so that every tree of the same commit gives the same bytes.
#
#	source.sh NAME FILE.tar.xz	SOURCE_DATE_EPOCH is the date of the release
set -eu
umask 022
name=$1 file=$2
top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM

mkdir "$work/$name"
sh "$top/packaging/tracked.sh" | tar -xf - -C "$work/$name"
tar -cf - -C "$work" --sort=name --format=ustar --mtime="@$SOURCE_DATE_EPOCH" --owner=0 --group=0 \
	--numeric-owner --mode='u=rwX,go=rX' "$name" | xz -9 --threads=1 >"$file"
