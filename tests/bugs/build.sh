#!/bin/sh
# Fetches the sources of packages.list from the Debian mirror that apt uses here, checks what came, and
# builds each at -O0 and -O2; makes the inputs that set off their bugs. What is there already stays. Must
# never install anything, nor build what has another checksum than the list says.
#
#	build.sh FOLDER		leaves FOLDER/NAME-O0, FOLDER/NAME-O2 and FOLDER/inputs
#
# Environment: MIRROR another mirror; http://archive.debian.org/debian keeps old releases.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$1"
cd "$1"

fail() {
	echo "check-bugs: $1" >&2
	exit 1
}

# The mirror that apt itself takes Debian's packages from.
mirror_here() {
	# shellcheck disable=SC2016 # apt fills these in
	apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
		sed -n 's/^Debian Debian //p' | head -n 1
}

# fetch FILE SHA256: into this folder, with apt's own proxies.
fetch() {
	archive=${1##*/}
	if [ ! -e "$archive" ]; then
		[ -n "$mirror" ] || fail "apt knows no Debian mirror here; MIRROR=URL names one"
		/usr/lib/apt/apt-helper download-file "${mirror%/}/pool/main/$1" "$archive.new" >log 2>&1 || {
			cat log >&2
			fail "$mirror does not give pool/main/$1; MIRROR=URL names another mirror"
		}
		mv "$archive.new" "$archive"
	fi
	echo "$2  $archive" | sha256sum --check --quiet || fail "$archive is not what packages.list says; remove it"
}

# build NAME LEVEL COMMAND: anew, unless the same command has built it.
build() {
	tree=$1-$2
	[ "$3" != "$(cat "$tree/.built" 2>/dev/null)" ] || return 0
	rm -rf "$tree"
	mkdir "$tree"
	tar -xf "$archive" -C "$tree" --strip-components=1
	(cd "$tree" && FLAGS="-g -w -$2" sh -euc "$3") >log 2>&1 || {
		tail -n 30 log >&2
		fail "$1 does not build with -$2"
	}
	echo "$3" >"$tree/.built"
}

mirror=${MIRROR:-$(mirror_here)}
sed -e '/^#/d' -e '/^$/d' -e 's/ *| */|/g' "$here/packages.list" >packages
while IFS='|' read -r name file sum command; do
	fetch "$file" "$sum"
	for level in O0 O2; do
		build "$name" $level "$command" </dev/null
	done
done <packages
rm -rf inputs
cp -r "$here/inputs" inputs
(cd inputs && python3 ./archives.py)
