#!/bin/sh
# Makes a folder of the distribution's rr that runs on other systems too: the program, what it looks for
# beside itself, the libraries that it needs, their licences and versions. What every system with such
# a glibc has is not carried: glibc itself, and gcc's libraries. Needs Debian's package rr, and patchelf.
#
#	carry-rr.sh RR LICENCES	both are made anew: RR gets bin/ lib/ share/ VERSIONS
set -eu
here=$(cd "$(dirname "$0")" && pwd)
rm -rf "$1" "$2"
mkdir -p "$1/lib" "$2"
rr=$(cd "$1" && pwd) licences=$(cd "$2" && pwd)
from_system='^(linux-vdso|ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libgcc_s|libstdc\+\+)\.so'

fail() {
	echo "carry-rr: $1" >&2
	exit 1
}

# libraries: "SONAME PATH" of each that the program would load now.
libraries() { ldd "$rr/bin/rr" | sed -n 's/^[ 	]*\([^ ]*\) => \(\/.*\) (0x[0-9a-f]*)$/\1 \2/p' | grep -Ev "$from_system"; }

dpkg-query -L rr 2>/dev/null | grep -E '^/usr/(bin/rr$|lib(64)?/rr/|share/rr/[^/]*\.xml$)' |
	while read -r file; do
		[ -f "$file" ] || continue
		mode=644
		[ ! -x "$file" ] || mode=755
		install -D -m $mode "$file" "$rr/${file#/usr/}"
	done
[ -x "$rr/bin/rr" ] || fail "Debian's package rr is not installed: apt-get install rr"

{
	sh "$here/licence.sh" /usr/bin/rr "$licences"
	libraries | while read -r soname path; do
		install -m 644 "$path" "$rr/lib/$soname"
		sh "$here/licence.sh" "$path" "$licences"
	done
} | LC_ALL=C sort -u >"$rr/VERSIONS"

# DT_RPATH and not RUNPATH, because it also serves the libraries that the carried ones need.
patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$rr/bin/rr"
outside=$(libraries | grep -v " $rr/" || true)
[ -z "$outside" ] || fail "these still come from the system: $outside"
"$rr/bin/rr" help >"$rr/.help" 2>&1 || true
grep -q '^rr version' "$rr/.help" || fail "it does not run: $(head -n 3 "$rr/.help")"
rm "$rr/.help"
