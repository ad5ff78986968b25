#!/bin/sh
# Makes a staging folder of `make install` independent of the distribution: copies the libraries that
# its programs need beside the worker, except the C library's own, with their licences, and strips.
# Fails if a program would still load one of them from the system.
#
#	bundle.sh FOLDER	has bin/ and libexec/rr-warden/, linked with -rpath '$ORIGIN...'
set -eu
here=$(cd "$(dirname "$0")" && pwd)
folder=$(cd "$1" && pwd)
parts=$folder/libexec/rr-warden
PATH=$PATH:/usr/sbin:/sbin # ldconfig, which ordinary users may not have there
licences=$folder/share/doc/rr-warden/licences

# glibc is not bundled: its parts fit each other and the system's loader only.
from_system='^(linux-vdso|ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libgcc_s)\.so'

fail() {
	echo "bundle: $1" >&2
	exit 1
}

ours() { printf '%s\n' "$folder/bin/rr-warden" "$parts/rr-warden-worker" "$parts/softpmu.so" "$parts/guardheap.so"; }

# needed: "SONAME PATH" of every library that they would load now.
needed() {
	ours | while read -r program; do
		ldd "$program" | sed -n 's/^[ 	]*\([^ ]*\) => \(\/.*\) (0x[0-9a-f]*)$/\1 \2/p'
	done | grep -Ev "$from_system" | LC_ALL=C sort -u
}

keep_licence() { sh "$here/licence.sh" "$1" "$licences" >/dev/null; }

mkdir -p "$licences"
needed | while read -r soname path; do
	case $path in "$folder"/*) continue ;; esac
	keep_licence "$path"
	cp -L --remove-destination "$path" "$parts/$soname"
done
# Zydis was carried by the build already.
for carried in "$parts"/libZy*; do
	keep_licence "$(ldconfig -p | sed -n "s|.*$(basename "$carried") .* => ||p" | head -n 1)"
done

outside=$(needed | grep -v " $folder/" || true)
[ -z "$outside" ] || fail "these still come from the system: $outside"
ours | tr '\n' '\0' | xargs -0 strip --strip-unneeded --preserve-dates
