#!/bin/sh
# Unpacks the OCI image as an engine does (each blob is checked against its digest), and runs its entry
# point with its environment, as its user, in namespaces of its own: the doctor records and replays, and a
# client gets a crash report over stdio.
#
#	container.sh IMAGE PROGRAM	PROGRAM: one that crashes
set -eu
here=$(cd "$(dirname "$0")" && pwd)
. "$here/judge.sh"
image=$1 program=$2
scratch=$(mktemp -d /var/tmp/rr-warden-image.XXXXXX)
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT INT TERM
mkdir "$scratch/image" "$scratch/root"
chmod 755 "$scratch"

try "the image is an OCI layout whose blobs have their digests" python3 -B "$here/image.py" "$image" "$scratch"

# enter ARGUMENT...: the entry point, in a user namespace and with the file systems that an engine makes. The
# image's root becomes the real one (pivot_root): in a chroot the kernel gives no user namespaces. The
# second namespace gives this user the image's number.
enter() {
	# shellcheck disable=SC2016,SC2046 # the inner shell's; the environment is words
	unshare --user --map-root-user --mount --pid --ipc --fork --kill-child sh -ec '
		root=$1
		shift
		mount --bind "$root" "$root"
		cd "$root"
		mount -t proc proc proc
		mount -t tmpfs -o mode=755 tmpfs dev
		for node in null zero full random urandom; do
			: >"dev/$node"
			mount --bind "/dev/$node" "dev/$node"
		done
		mkdir -p dev/shm .old
		pivot_root . .old
		umount -l /.old
		cd /home/warden
		exec unshare --user --map-user=1000 --map-group=1000 env -i "$@"' sh "$scratch/root" $(cat "$scratch/environment") "$@"
}
entry=$(cat "$scratch/entry" 2>/dev/null || true)
cp "$program" "$scratch/root/home/warden/crash"
chown -R "$(id -u):$(id -g)" "$scratch/root/home/warden" # who is this number inside

doctor() {
	enter "$entry" doctor --record >"$scratch/doctor" 2>&1 || [ $? = 1 ]
	cat "$scratch/doctor"
	grep 'replayed it to the end' "$scratch/doctor"
}
first() { enter "$entry" record-until -n 1 --trace-dir=/home/warden/trace -- /home/warden/crash; [ $? = 1 ]; }
second() { enter "$entry" explain /home/warden/trace >"$scratch/said" 2>&1; cat "$scratch/said"; grep SIGSEGV "$scratch/said"; }
try "its doctor records and replays" doctor
try "it records a crash" first
try "it explains the crash" second

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
