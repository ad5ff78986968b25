#!/bin/sh
# Makes a folder of the distribution's rr or gdb that runs on other systems too: the program, what it
# looks for beside itself, the libraries that it needs, their licences and versions. What every system
# with such a glibc has is not carried: glibc itself, and gcc's libraries. Needs Debian's package, and
# patchelf; for gdb, also the Python that it is linked with.
#
#	carry-tool.sh rr|gdb TOOL LICENCES	both are made anew: TOOL gets bin/ lib/ share/ VERSIONS
set -eu
here=$(cd "$(dirname "$0")" && pwd)
name=$1
rm -rf "$2" "$3"
mkdir -p "$2/lib" "$3"
tool=$(cd "$2" && pwd) licences=$(cd "$3" && pwd)
from_system='^(linux-vdso|ld-linux-x86-64|libc|libm|libdl|libpthread|librt|libresolv|libutil|libgcc_s|libstdc\+\+)\.so'

fail() {
	echo "carry-tool: $1" >&2
	exit 1
}

# libraries: "SONAME PATH" of each that the program would load now.
libraries() { ldd "$tool/bin/$name" | sed -n 's/^[ 	]*\([^ ]*\) => \(\/.*\) (0x[0-9a-f]*)$/\1 \2/p' | grep -Ev "$from_system"; }

# copy_package PACKAGE PATTERN: those of its files that match.
copy_package() {
	dpkg-query -L "$1" 2>/dev/null | grep -E "$2" | while read -r file; do
		[ -f "$file" ] || continue
		mode=644
		[ ! -x "$file" ] || mode=755
		install -D -m $mode "$file" "$tool/${file#/usr/}"
	done
}

# The modules of gdb's Python, compiled, because nothing can be written beside them later. Left out: what
# builds, installs, tests or shows windows, and modules whose libraries gdb does not need itself.
copy_python() {
	python=$(ldd /usr/bin/gdb | sed -n 's/.*libpython\(3\.[0-9]*\)\.so.*=>.*/\1/p')
	[ -n "$python" ] || fail "this gdb has no Python, which rr-warden needs"
	[ "$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')" = "$python" ] ||
		fail "gdb has Python $python, and python3 is another one"
	for part in minimal stdlib; do
		copy_package "libpython$python-$part" "^/usr/lib/python$python/"
		sh "$here/licence.sh" "/usr/lib/python$python/$([ $part = minimal ] && echo os.py || echo json/__init__.py)" "$licences"
	done
	modules=$tool/lib/python$python
	rm -rf "$modules/lib2to3" "$modules/distutils" "$modules/ensurepip" "$modules/idlelib" "$modules/tkinter" \
		"$modules/turtledemo" "$modules/pydoc_data" "$modules/unittest" "$modules/venv" "$modules/test" \
		"$modules/curses" "$modules/sqlite3" "$modules/dbm" "$modules/_distutils_hack"
	find "$modules" -name __pycache__ -prune -exec rm -rf {} +
	for module in "$modules"/lib-dynload/*.so; do
		ldd "$module" | sed -n 's/^[ 	]*\([^ ]*\) => .*/\1/p' | grep -Ev "$from_system" |
			while read -r soname; do [ -e "$tool/lib/$soname" ] || echo "$soname"; done | grep -q . || continue
		rm "$module"
	done
	python3 -m compileall -q --invalidation-mode unchecked-hash -s "$tool" -j 1 "$modules" >/dev/null
}

case $name in
rr) copy_package rr '^/usr/(bin/rr$|lib(64)?/rr/|share/rr/[^/]*\.xml$)' ;;
gdb) copy_package gdb '^/usr/(bin/gdb$|share/gdb/(python|syscalls|guile)/)' ;;
*) fail "rr or gdb, not $name" ;;
esac
[ -x "$tool/bin/$name" ] || fail "Debian's package $name is not installed: apt-get install $name"

{
	sh "$here/licence.sh" "/usr/bin/$name" "$licences"
	libraries | while read -r soname path; do
		install -m 644 "$path" "$tool/lib/$soname"
		sh "$here/licence.sh" "$path" "$licences"
	done
	[ "$name" != gdb ] || copy_python
} | LC_ALL=C sort -u >"$tool/VERSIONS"

# DT_RPATH and not RUNPATH, because it also serves the libraries that the carried ones need, and modules.
patchelf --force-rpath --set-rpath "\$ORIGIN/../lib" "$tool/bin/$name"
outside=$(libraries | grep -v " $tool/" || true)
[ -z "$outside" ] || fail "these still come from the system: $outside"

# runs PATTERN ARGUMENT...: what it prints has the pattern.
runs() {
	pattern=$1
	shift
	"$tool/bin/$name" "$@" >"$tool/.said" 2>&1 || true
	grep -q "$pattern" "$tool/.said" || fail "it does not run: $(head -n 3 "$tool/.said")"
	rm "$tool/.said"
}
case $name in
rr) runs '^rr version' help ;;
gdb) runs "^$tool/lib/python3.*json" --nx --batch -ex 'python import json, re, traceback; print(json.__file__)' ;;
esac
