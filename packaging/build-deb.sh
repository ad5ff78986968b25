#!/bin/sh
# Builds the Debian packages, source too, from a copy of the tracked files, because dpkg-buildpackage
# wants debian/ at the top and this tree keeps it in packaging/. Must never take a file that git does not know.
#
#   build-deb.sh [FOLDER]     where the packages go; default: build/
set -eu
umask 022

top=$(cd "$(dirname "$0")/.." && pwd)
out=${1:-$top/build}
mkdir -p "$out"
out=$(cd "$out" && pwd)
work=$(mktemp -d "${TMPDIR:-/tmp}/rr-warden-deb.XXXXXX")
trap 'rm -rf "$work"' EXIT INT TERM

mkdir "$work/rr-warden"
sh "$top/packaging/tracked.sh" | tar -xf - -C "$work/rr-warden"
cp -r "$work/rr-warden/packaging/debian" "$work/rr-warden/debian"
# The source package also holds modes, so neither the caller's umask nor the clone's may show.
chmod -R u+rwX,go=rX "$work/rr-warden"
(cd "$work/rr-warden" && dpkg-buildpackage -us -uc -F) >"$work/log" 2>&1 || {
	tail -40 "$work/log" >&2
	exit 1
}
rm -f "$out"/rr-warden*_*
cp "$work"/rr-warden*_* "$out/"
ls "$out"/rr-warden*_*.deb
