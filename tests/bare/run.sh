#!/bin/sh
# What newcomers see: makes a bare root of each Debian release (minbase with git, make and sudo)
# and runs the README's commands in it, as an ordinary user with sudo, in a path with a space.
# Packages built in one release must work in the next one too. Needs mmdebstrap, and root or sudo. Must
# never leave a mount, a process or a root behind; keeps only downloads, in BARE_CACHE, so that the next
# run is quick.
#
#	run.sh [-k] [-c COMMANDS] [-i FOLDER] [-o FOLDER] [RELEASE...]	default: bookworm trixie
#
#	-k	keep the roots, and say where they are
#	-c	run these, one a line, instead of the README's commands (see readme_commands)
#	-i	the user has the files of this folder, and not the tree
#	-o	keep in this folder what the commands leave in ~/out
#
# Environment: MIRROR a Debian mirror (default: the one that apt uses here, else mmdebstrap's own),
# BARE_CACHE where downloads are kept (build/bare). Prints "N passed, N failed" at the end.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=${BARE_CACHE:-$top/build/bare}
CACHE_DAYS=7

fail() {
	echo "check-bare: $1" >&2
	exit 1
}

keep="" command="" given="" wanted=""
while getopts kc:i:o: option; do
	case $option in
	k) keep=yes ;;
	c) command=$OPTARG ;;
	i) given=$(cd "$OPTARG" && pwd) ;;
	o) wanted=$(mkdir -p "$OPTARG" && cd "$OPTARG" && pwd) ;;
	*) exit 2 ;;
	esac
done
shift $((OPTIND - 1))

if [ "$(id -u)" != 0 ]; then
	command -v sudo >/dev/null 2>&1 || fail "making a root takes root's rights, and there is no sudo here"
	exec sudo env MIRROR="${MIRROR:-}" BARE_CACHE="$cache" sh "$0" ${keep:+-k} ${command:+-c "$command"} \
		${given:+-i "$given"} ${wanted:+-o "$wanted"} "$@"
fi

# The mirror that apt itself takes Debian's packages from.
mirror_here() {
	# shellcheck disable=SC2016 # apt fills these in
	apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed -n 's/^Debian Debian //p' | head -n 1
}

# The proxy that apt itself goes through, as a line of apt.conf.
proxy_here() {
	apt-config dump --format '%f "%v";%n' Acquire::http::Proxy Acquire::https::Proxy 2>/dev/null |
		grep -v '""' || true
}

# make_archive RELEASE: the bare root as an archive in the cache, made again if it is old.
make_archive() {
	[ -z "$(find "$cache/$1.tar" -mtime -$CACHE_DAYS 2>/dev/null)" ] || return 0
	echo "check-bare: making the root of $1" >&2
	proxy_here >"$cache/proxy.conf"
	# shellcheck disable=SC2086 # no mirror: no argument
	mmdebstrap --quiet --format=tar --variant=minbase --include=git,make,sudo \
		--aptopt="$cache/proxy.conf" "$1" "$cache/$1.tar.new" ${mirror:+"$mirror"} ||
		fail "mmdebstrap could not make a root of $1; is a mirror reachable? MIRROR=URL names one"
	mv "$cache/$1.tar.new" "$cache/$1.tar"
}

# An ordinary user with sudo, the network's names, and this tree as it is committed and changed (or the
# files that were given).
furnish() {
	root=$1
	cp /etc/resolv.conf "$root/etc/resolv.conf"
	cp /etc/hosts "$root/etc/hosts"
	proxy_here >"$root/etc/apt/apt.conf.d/90proxy"
	rm -f "$root/etc/apt/apt.conf.d/docker-clean"
	echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/quick" # the root lives for minutes
	chroot "$root" useradd --create-home --shell /bin/bash newcomer
	echo 'newcomer ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/newcomer"
	mkdir "$root/home/newcomer/rr warden"
	if [ -n "$given" ]; then
		cp -r "$given/." "$root/home/newcomer/rr warden/"
	else
		tar -xf "$cache/tree.tar" -C "$root/home/newcomer/rr warden"
	fi
	for earlier in $built; do
		mkdir "$root/home/newcomer/built on $earlier"
		tar -xf "$cache/built-$earlier.tar" -C "$root/home/newcomer/built on $earlier"
	done
	chroot "$root" chown -R newcomer: /home/newcomer
}

# Plain make says what is missing and installs nothing; every other line is the README's.
readme_commands() {
	cat <<-'END'
		! make 2>/tmp/said && grep -q "make deps" /tmp/said && ! command -v gcc
		make demo
		make check
		make deps FOR=deb
		make deb
		sudo apt-get install -y ./build/rr-warden_*.deb
		rr-warden doctor
	END
	for earlier in $built; do
		echo "'../built on $earlier/bin/rr-warden' doctor"
	done
}

# Inside a mount and process namespace of its own: the machine around the root, then the commands.
# The root becomes the real one (pivot_root): in a chroot the kernel gives no user namespaces.
# It is a file of its own, because unshare executes it.
run_in() {
	root=$1 release=$2
	mkdir -p "$cache/debs-$release/partial"
	commands=${command:-$(readme_commands)}
	unshare --mount --pid --fork --kill-child --propagation private \
		sh "$here/inside.sh" "$root" "$cache/debs-$release" "$commands" &
	inside=$!
	wait $inside
}

# However this ends, everything that runs in the root dies with unshare, and so do its mounts.
clean_up() {
	[ -z "$inside" ] || kill -9 "$inside" 2>/dev/null || true
	[ -n "$keep" ] || [ -z "$root" ] || rm -rf --one-file-system "$root"
}

# try RELEASE: one root from nothing to the end of the commands.
try() {
	root=$(mktemp -d "/var/tmp/rr-warden-$1.XXXXXX")
	chmod 755 "$root"
	tar -xf "$cache/$1.tar" -C "$root"
	furnish "$root"
	result=0
	run_in "$root" "$1" || result=1
	tar -cf "$cache/built-$1.tar" -C "$root/home/newcomer/rr warden/build" bin libexec 2>/dev/null &&
		built="$built $1"
	[ -z "$wanted" ] || cp -r "$root/home/newcomer/out/." "$wanted/" || result=1
	inside=""
	[ -z "$keep" ] || echo "check-bare: the root of $1 is kept in $root" >&2
	clean_up
	root=""
	return $result
}

command -v mmdebstrap >/dev/null 2>&1 || fail "no mmdebstrap here: apt-get install mmdebstrap"
mirror=${MIRROR:-$(mirror_here)}
built="" # the releases whose built trees are in the cache
mkdir -p "$cache"
# Made once, so that both releases get the same tree even if somebody edits it meanwhile.
sh "$top/packaging/tracked.sh" >"$cache/tree.tar"
[ $# -gt 0 ] || set -- bookworm trixie
passed=0 failed=0 root="" inside=""
trap clean_up EXIT
trap 'exit 130' INT TERM HUP
for release in "$@"; do
	echo "== $release"
	start=$(date +%s)
	make_archive "$release"
	if try "$release"; then
		passed=$((passed + 1)) word=works
	else
		failed=$((failed + 1)) word=FAILED
	fi
	echo "== $release $word ($(($(date +%s) - start)) s)"
done
echo "$passed passed, $failed failed"
[ $failed = 0 ]
