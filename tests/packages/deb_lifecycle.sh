#!/bin/sh
# The life of the Debian package on this machine: builds it, installs an older version, upgrades, runs
# its autopkgtest, removes and purges it. For a bare root that is deleted afterwards (see deb.sh); the
# caller must be able to use sudo without a password.
set -eu
cd "$(dirname "$0")/../.."

apt() { sudo env DEBIAN_FRONTEND=noninteractive apt-get -qq -y --no-install-recommends "$@" >/dev/null; }

say() { echo "deb: $1"; }

fail() {
	echo "deb: $1" >&2
	exit 1
}

# The files below the system's folders that have our name. apt's cache and dpkg's own books stay out.
ours() {
	sudo find /usr /etc /var /opt -name '*rr-warden*' ! -path '/var/cache/*' ! -path '/var/lib/dpkg/*'
}

# repack DEB VERSION NEW: the same package under another version.
repack() {
	folder=$(mktemp -d)
	fakeroot sh -c "dpkg-deb -R '$1' '$folder/root' &&
		sed -i 's/^Version: .*/Version: $2/' '$folder/root/DEBIAN/control' &&
		touch '$folder/root/usr/share/rr-warden-was-here' &&
		dpkg-deb -b '$folder/root' '$3'" >/dev/null
	rm -rf "$folder"
}

make deps FOR=deb
make deb >/dev/null
deb=$(echo "$PWD"/build/rr-warden_*_amd64.deb)
version=$(dpkg-deb -f "$deb" Version)
[ -z "$(ours)" ] || fail "rr-warden is on this machine already: $(ours)"

repack "$deb" "$version~older" /tmp/older.deb
apt install /tmp/older.deb
[ -e /usr/share/rr-warden-was-here ] || fail "the older version did not install"
say "installed $version~older"

apt install "$deb"
[ "$(dpkg-query -W -f '${Version}' rr-warden)" = "$version" ] || fail "the upgrade kept the older version"
[ ! -e /usr/share/rr-warden-was-here ] || fail "the upgrade left a file of the older version"
dpkg --verify rr-warden | grep . && fail "installed files differ from the package's"
say "upgraded to $version"

apt install autopkgtest
# autopkgtest wants root's rights, to install; the test runs as the caller.
sudo autopkgtest --quiet --user "$(id -un)" --no-built-binaries "$deb" build/rr-warden_*.dsc -- null || fail "autopkgtest"
say "autopkgtest passed"

# The profile needs AppArmor 4, which Debian has from 13 on. Nothing is loaded into the kernel here.
apt install apparmor
if [ -e /etc/apparmor.d/abi/4.0 ]; then
	sudo apparmor_parser --skip-kernel-load --skip-cache \
		/usr/share/doc/rr-warden/examples/rr-warden.apparmor || fail "the AppArmor profile"
	say "the AppArmor profile compiles"
fi

rr-warden rr record /bin/true
trace="$HOME/.local/share/rr/true-0"
[ -d "$trace" ] || fail "no trace in the user's home"

apt remove rr-warden
[ ! -e /usr/bin/rr-warden ] || fail "rr-warden is there after its removal"
# Without configuration files nothing of it is left to purge then, so purge it installed.
apt install "$deb"
apt purge rr-warden
left=$(ours)
[ -z "$left" ] || fail "left after a purge: $left"
[ -d "$trace" ] || fail "the purge took a user's recording"
say "removed and purged"
