#!/bin/sh
# Checks the Debian package: lintian is silent, a second build in another environment gives the same
# bytes, all hardening is on, and the package's whole life works in a bare root of each release.
#
#	deb.sh BUILD [RELEASE...]	default: bookworm trixie; "none" leaves the roots out
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$(mkdir -p "$1" && cd "$1" && pwd)
shift
. "$here/judge.sh"

again=$(mktemp -d)
trap 'rm -rf "$again"' EXIT INT TERM

# The unit tests run in the bare roots' builds; here only the packages count.
export DEB_BUILD_OPTIONS=nocheck
sh "$top/packaging/build-deb.sh" "$build" >/dev/null
# In machine code, "wtH" and its like are no words: H is the prefix of an instruction with 64-bit operands.
lintian --allow-root --pedantic --display-info --display-experimental --fail-on=pedantic,experimental,info,warning,error \
	"$build"/rr-warden_*.changes >"$again/said" && status=0 || status=$?
sed '/: spelling-error-in-binary [[:alnum:]]*H /d' "$again/said" >"$again/meant"
cat "$again/meant"
# 2 is a tag; 1 is a lintian that did not run.
if [ "$status" = 2 ] && [ ! -s "$again/meant" ]; then
	status=0
fi
judge "$status" "lintian --pedantic is silent"

(umask 077 && env TZ=Asia/Tokyo LC_ALL=C DEB_BUILD_OPTIONS="nocheck parallel=1" TMPDIR="$again" \
	sh "$top/packaging/build-deb.sh" "$again/out" >/dev/null)
status=0
for file in "$build"/rr-warden*_*.deb "$build"/rr-warden*_*.dsc "$build"/rr-warden*_*.tar.*; do
	cmp "$file" "$again/out/$(basename "$file")" || status=1
done
judge "$status" "a second build elsewhere gives the same bytes"

dpkg-deb -x "$build"/rr-warden_*_amd64.deb "$again/root"
status=0
for file in usr/bin/rr-warden usr/libexec/rr-warden/rr-warden-worker usr/libexec/rr-warden/softpmu.so; do
	sections=$(readelf -lW -d -s "$again/root/$file")
	for promise in GNU_RELRO BIND_NOW __stack_chk_fail 'Type: *DYN\|Elf file type is DYN' _chk@; do
		echo "$sections" | grep -q "$promise" || {
			echo "$file lacks $promise"
			status=1
		}
	done
done
judge "$status" "every binary is position-independent, fortified, with stack protection, full RELRO"

[ $# -gt 0 ] || set -- bookworm trixie
for release in "$@"; do
	[ "$release" != none ] || continue
	BARE_CACHE="$build/bare" sh "$top/tests/bare/run.sh" -c 'sh tests/packages/deb_lifecycle.sh' "$release" && status=0 || status=1
	judge "$status" "the package's life on $release"
done

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
