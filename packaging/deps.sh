#!/bin/sh
# Knows which Debian packages each purpose needs, and prints nothing if all are installed. Must never
# remove or upgrade a package, and never touch a system it does not know.
#
#	deps.sh look PURPOSE...		says what is missing and how to get it; fails if anything is
#	deps.sh install PURPOSE...	installs what is missing, as root or through sudo
set -eu

# libc6-dev by name, because apt takes nothing here that a package only recommends.
build="gcc libc6-dev make pkg-config libjansson-dev libseccomp-dev libcap-dev libbsd-dev libinih-dev libbrotli-dev libdw-dev libpcre2-dev libzydis-dev rr gdb"
# libc6-dbg, because rr_origin_of follows memcpy by the names that only debug symbols have; the next three unpack
# core files; the guard heap is compared with the last two.
check="check g++ perl python3 libc6-dbg lz4 xz-utils zstd electric-fence duma"
# The compilers of test_languages and test_held, 900 MB, and a library with printers; without one, its rows are skipped.
languages="gfortran gnat gdc golang rustc clang libc++-dev libc++abi-dev libglib2.0-dev"
style="clang clang-format clang-tidy cppcheck shellcheck"
fuzz="clang libclang-rt-dev"
clients="npm"
report="chromium python3"
deb="build-essential check debhelper dpkg-dev fakeroot lintian"
bare="mmdebstrap"
vm="mmdebstrap qemu-system-x86 e2fsprogs"
# what `make wheel` and `make npm` take rr and gdb from, and what makes them look for their libraries beside
# them; python3 compiles the modules of gdb's Python
carry="rr gdb python3 patchelf"
# python3 writes the archives that set off the bugs; malloc's own variables need libc6-dbg.
bugs="python3 libc6-dbg libbz2-dev xz-utils apt"
# What the rows of tests/real record: without one, its row is skipped.
real="nginx-light curl memcached redis-server redis-tools postgresql sqlite3 git nodejs golang-go rustc cargo php-cli ffmpeg
openmpi-bin lmdb-utils ruby default-jdk-headless qemu-system-x86 cmake make g++ fio openssl python3-numpy r-base-core perl
chromium-headless-shell bzip2 xz-utils zstd"
packages="python3 python3-venv python3-yaml systemd unzip"
dist="python3 xz-utils rpm rpmlint makepkg pacman-package-manager libarchive-tools shellcheck"

fail() {
	echo "rr-warden: $1" >&2
	exit 1
}

usage() {
	echo "usage: $0 look|install build|demo|check|languages|style|fuzz|clients|report|deb|bare|vm|carry|bugs|real|packages|dist..." >&2
	exit 2
}

packages_for() {
	for purpose in "$@"; do
		case $purpose in
		build | demo) echo "$build" ;;
		check) echo "$build $check" ;;
		languages) echo "$languages" ;;
		style) echo "$build $check $style" ;;
		fuzz) echo "$build $fuzz" ;;
		clients) echo "$build $clients" ;;
		report) echo "$build $report" ;;
		deb) echo "$build $deb" ;;
		bare) echo "$bare" ;;
		vm) echo "$vm" ;;
		carry) echo "$carry" ;;
		bugs) echo "$build $bugs" ;;
		real) echo "$real" ;;
		packages) echo "$packages" ;;
		dist) echo "$build $dist" ;;
		*) usage ;;
		esac
	done
}

# Without dpkg, looks for the programs and libraries themselves, under their upstream names.
look_elsewhere() {
	for program in gcc make pkg-config rr gdb; do
		command -v "$program" >/dev/null 2>&1 || echo "$program"
	done
	for library in jansson libseccomp libcap libbsd-overlay inih libbrotlidec libdw libpcre2-8; do
		pkg-config --exists "$library" 2>/dev/null || echo "$library"
	done
}

# The packages that are not installed, one a line. An rr, gdb or compiler from elsewhere counts too.
look_in_dpkg() {
	installed=$(dpkg-query -W -f '${Status} ${Package}\n' "$@" 2>/dev/null |
		sed -n 's/^[a-z]* ok installed //p') || true
	for package in "$@"; do
		echo "$installed" | grep -qx "$package" || command -v "$package" >/dev/null 2>&1 ||
			echo "$package"
	done
}

[ $# -ge 2 ] || usage
action=$1
shift
case $action in look | install) ;; *) usage ;; esac
wanted=$(packages_for "$@" | tr ' ' '\n' | sort -u)

if command -v dpkg-query >/dev/null 2>&1; then
	# shellcheck disable=SC2086 # a list of words
	missing=$(look_in_dpkg $wanted | tr '\n' ' ')
	missing=${missing% }
else
	missing=$(look_elsewhere | tr '\n' ' ')
	[ -z "$missing" ] || fail "missing: $missing
There is no dpkg here, so install these by hand. Debian names them $(echo "$wanted" | tr '\n' ' ')"
fi
[ -n "$missing" ] || exit 0

[ "$action" = install ] || fail "missing: $missing
\`make deps FOR=\"$*\"\` installs that as root or through sudo; by hand: apt-get install $missing"

if [ "$(id -u)" = 0 ]; then
	as_root=""
elif command -v sudo >/dev/null 2>&1; then
	as_root="sudo"
else
	fail "missing: $missing
Installing takes root's rights, and there is no sudo here. As root: apt-get install $missing"
fi

echo "rr-warden: installing $missing" >&2
log=$(mktemp)
trap 'rm -f "$log"' EXIT INT TERM
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@" >"$log" 2>&1; }
# shellcheck disable=SC2086
apt install $missing || { apt update && apt install $missing; } || {
	cat "$log" >&2
	fail "apt-get could not install: $missing"
}
