#!/bin/sh
# Shows what the AppArmor profiles lend to whom, on a kernel that denies user namespaces to programs
# without a profile: Ubuntu 24.04 in a virtual machine, with this tree built in it. Needs root,
# mmdebstrap and qemu. Must never leave a mount, a process or an image behind; keeps the bare root, so
# that the next run is quick.
#
#	apparmor.sh CACHE
#
# Environment: UBUNTU_MIRROR; UBUNTU_KEYRING, which is else taken from Debian's package; ACCEL=kvm, where
# that works (default: tcg). Takes about six minutes. Prints "N passed, M failed" at the end.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
cache=$1
CACHE_DAYS=7
MACHINE_SECONDS=1800
packages=linux-image-virtual,initramfs-tools,apparmor,gcc,libc6-dev,make,pkg-config,rr,gdb
libraries=libjansson-dev,libseccomp-dev,libcap-dev,libbsd-dev,libinih-dev,libbrotli-dev,libdw-dev,libpcre2-dev,libzydis-dev

fail() {
	echo "check-apparmor: $1" >&2
	exit 1
}

# Ubuntu's keys, from Debian's archive.
find_keyring() {
	keyring=${UBUNTU_KEYRING:-/usr/share/keyrings/ubuntu-archive-keyring.gpg}
	[ ! -r "$keyring" ] || return 0
	mmdebstrap --quiet --variant=extract --include=ubuntu-keyring trixie "$scratch/keys" ||
		fail "no keys of Ubuntu's archive here; UBUNTU_KEYRING=FILE names them"
	keyring=$scratch/keys/usr/share/keyrings/ubuntu-archive-keyring.gpg
}

make_archive() {
	[ -z "$(find "$cache/noble.tar" -mtime -$CACHE_DAYS 2>/dev/null)" ] || return 0
	echo "check-apparmor: making the root of Ubuntu 24.04" >&2
	find_keyring
	mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu}
	mmdebstrap --quiet --format=tar --variant=minbase --include="$packages,$libraries" --keyring="$keyring" \
		noble "$cache/noble.tar.new" "deb $mirror noble main universe" \
		"deb $mirror noble-updates main universe" || fail "mmdebstrap could not make a root of Ubuntu 24.04"
	mv "$cache/noble.tar.new" "$cache/noble.tar"
}

# The tree, built and installed, and an ordinary user.
furnish() {
	root=$scratch/root
	mkdir "$root" && tar -xf "$cache/noble.tar" -C "$root"
	mkdir "$root/src" && sh "$top/packaging/tracked.sh" | tar -xf - -C "$root/src"
	chroot "$root" useradd --create-home user
	cat >"$scratch/build" <<-'END'
		mount -t proc proc "$1/proc"
		chroot "$1" sh -ec 'cd /src
			make -j"$(nproc)"
			make install PREFIX=/usr
			gcc -D_GNU_SOURCE -O2 -o /usr/bin/lent tests/doubles/lent.c
			gcc -D_GNU_SOURCE -O2 -shared -fPIC -o /usr/lib/lent.so tests/doubles/lent.c'
	END
	unshare --mount --propagation private sh -e "$scratch/build" "$root" >"$scratch/log" 2>&1 || {
		tail -n 30 "$scratch/log" >&2
		fail "the tree does not build on Ubuntu 24.04"
	}
}

run_machine() {
	cp "$root"/boot/vmlinuz-* "$scratch/kernel" && cp "$root"/boot/initrd.img-* "$scratch/initrd"
	mkfs.ext4 -q -F -d "$root" "$scratch/disk" 4G
	timeout "$MACHINE_SECONDS" qemu-system-x86_64 -accel "${ACCEL:-tcg}" -cpu max -smp 1 -m 1536 -no-reboot \
		-kernel "$scratch/kernel" -initrd "$scratch/initrd" \
		-append "root=/dev/vda console=ttyS0 quiet loglevel=1 apparmor=1 security=apparmor init=/src/tests/packages/apparmor_inside.sh" \
		-drive "file=$scratch/disk,format=raw,if=virtio" -nic none -display none -serial stdio -monitor none \
		</dev/null | tr -d '\r' | tee "$scratch/console"
}

[ "$(id -u)" = 0 ] || fail "making a root takes root's rights: run this as root or with sudo"
mkdir -p "$cache"
scratch=$(mktemp -d /var/tmp/rr-warden-apparmor.XXXXXX)
trap 'rm -rf --one-file-system "$scratch"' EXIT
trap 'exit 130' INT TERM HUP
make_archive
furnish
run_machine
grep -q '^[1-9][0-9]* passed, 0 failed$' "$scratch/console" || fail "something failed, or the machine did not end in time"
