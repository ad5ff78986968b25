#!/bin/sh
# Builds the Debian package out of a clean export of what is committed plus what is changed, because
# dpkg-buildpackage wants debian/ at the top and this tree keeps it in packaging/.
#
#   build-deb.sh [FOLDER]     where the .deb goes; default: build/
set -eu

top=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$top/build}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/rr-warden-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

mkdir "$work/rr-warden"
(cd "$top" && tar -cf - --exclude=./build --exclude='./build-*' --exclude=./.git .) |
	tar -xf - -C "$work/rr-warden"
cp -r "$work/rr-warden/packaging/debian" "$work/rr-warden/debian"
(cd "$work/rr-warden" && dpkg-buildpackage -us -uc -b) >"$work/log" 2>&1 || {
	tail -40 "$work/log" >&2
	exit 1
}
for package in "$work"/*.deb; do
	cp "$package" "$out/"
	echo "$out/$(basename "$package")"
done
