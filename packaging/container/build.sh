#!/bin/sh
# Makes an OCI image of a small Debian with rr, gdb and this server, without a container engine and without
# root: mmdebstrap makes the root as an archive, oci.py the layout.
#
#	build.sh STAGE VERSION NAME IMAGE	STAGE: what `make portable` installed, with its libraries
#
# Environment: MIRROR a Debian mirror, RELEASE the release (bookworm), SOURCE_DATE_EPOCH.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
stage=$(cd "$1" && pwd) version=$2 name=$3 image=$4
release=${RELEASE:-bookworm}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM
# The proxy that apt itself goes through here, and its mirror; neither gets into the image.
apt-config dump --format '%f "%v";%n' Acquire::http::Proxy Acquire::https::Proxy 2>/dev/null |
	grep -v '""' >"$scratch/proxy.conf" || true
# shellcheck disable=SC2016 # apt fills these in
mirror=${MIRROR:-$(apt-get indextargets --format '$(ORIGIN) $(LABEL) $(REPO_URI)' 'Created-By: Packages' 2>/dev/null |
	sed -n 's/^Debian Debian //p' | head -n 1)}
# Debian's own address in sources.list, whatever was used here; nobody's cache, logs or machine id.
# shellcheck disable=SC2016 # mmdebstrap's hooks get the root as $1
# shellcheck disable=SC2086 # no mirror: no argument
mmdebstrap --quiet --format=tar --variant=minbase --include=rr,gdb,libstdc++6 --aptopt="$scratch/proxy.conf" \
	--customize-hook='mkdir -p "$1/usr/local/bin" "$1/usr/local/libexec"' \
	--customize-hook="cp -r '$stage/bin/.' \"\$1/usr/local/bin/\"" \
	--customize-hook="cp -r '$stage/libexec/.' \"\$1/usr/local/libexec/\"" \
	--customize-hook='chroot "$1" useradd --create-home --uid 1000 warden' \
	--customize-hook='echo "deb http://deb.debian.org/debian '"$release"' main" >"$1/etc/apt/sources.list"' \
	--customize-hook='rm -rf "$1"/etc/apt/apt.conf.d/99mmdebstrap "$1"/var/lib/apt/lists/* "$1"/var/log/* "$1"/etc/resolv.conf' \
	"$release" "$scratch/root.tar" ${mirror:+"$mirror"}
python3 "$here/oci.py" "$scratch/root.tar" "$version" "$name" "$image"
