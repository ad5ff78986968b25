#!/bin/sh
# Installs what is missing for one purpose, and says nothing when nothing is: `make` calls it first
# every time. Must never remove or upgrade a package, and never touch a system it does not know.
#
#   install-deps.sh build|check|demo|style|fuzz|clients|deb
set -eu

build="gcc make pkg-config libjansson-dev libseccomp-dev libcap-dev libbsd-dev libinih-dev libzydis-dev rr gdb"
check="check perl python3"
style="clang clang-format clang-tidy cppcheck shellcheck"
fuzz="clang libclang-rt-dev"
clients="npm"
deb="debhelper dpkg-dev fakeroot lintian"

purpose=${1:-build}
case $purpose in
build | demo) packages=$build ;;
check) packages="$build $check" ;;
style) packages="$build $check $style" ;;
fuzz) packages="$build $fuzz" ;;
clients) packages="$build $clients" ;;
deb) packages="$build $deb" ;;
*)
	echo "usage: $0 build|check|demo|style|fuzz|clients|deb" >&2
	exit 2
	;;
esac

fail() {
	echo "install-deps: $1" >&2
	exit 1
}

# Without dpkg only the things themselves can be looked for, under the names upstream gave them.
check_elsewhere() {
	missing=""
	for program in gcc make pkg-config rr gdb; do
		command -v "$program" >/dev/null 2>&1 || missing="$missing $program"
	done
	for library in jansson libseccomp libcap libbsd-overlay inih; do
		pkg-config --exists "$library" 2>/dev/null || missing="$missing $library"
	done
	[ -z "$missing" ] && exit 0
	fail "no dpkg here, so install these by hand (missing:$missing). Their Debian names: $packages"
}

command -v dpkg-query >/dev/null 2>&1 || check_elsewhere

# shellcheck disable=SC2086 # a list of words
installed=$(dpkg-query -W -f '${Status} ${Package}\n' $packages 2>/dev/null |
	sed -n 's/^[a-z]* ok installed //p') || true
missing=""
for package in $packages; do
	case "
$installed
" in
	*"
$package
"*) ;;
	*) # a program of that name from elsewhere (an rr or gdb of one's own) will do
		command -v "$package" >/dev/null 2>&1 || missing="$missing $package"
		;;
	esac
done
[ -z "$missing" ] && exit 0

if [ "$(id -u)" = 0 ]; then
	as_root=""
elif command -v sudo >/dev/null 2>&1; then
	as_root="sudo"
else
	fail "missing:$missing. Neither root nor sudo here; as root: apt-get install$missing"
fi

echo "install-deps: installing$missing" >&2
apt() { $as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@"; }
# shellcheck disable=SC2086
apt install $missing >/dev/null 2>&1 || { apt update && apt install $missing >/dev/null; } ||
	fail "apt-get could not install:$missing"
