#!/bin/sh
# The first process of a bare root: mounts the usual file systems, makes the folder the root
# (pivot_root), and runs each line of the commands as an ordinary user. run.sh calls it in namespaces
# of its own, with which every mount and process goes.
#
#	inside.sh ROOT DEBS COMMANDS	DEBS is the cache of downloaded packages
set -eu
root=$1 debs=$2 commands=$3

mount --bind "$root" "$root"
cd "$root"
mount -t proc proc proc
mount -t sysfs sysfs sys
[ ! -d /sys/fs/cgroup ] || mount --rbind /sys/fs/cgroup sys/fs/cgroup
mount -t tmpfs -o mode=755 tmpfs dev
mkdir dev/pts dev/shm
for node in null zero full random urandom tty; do
	: >"dev/$node"
	mount --bind "/dev/$node" "dev/$node"
done
mount -t devpts -o newinstance,ptmxmode=666,gid=5,mode=620 devpts dev/pts
mount -t tmpfs -o mode=1777 tmpfs dev/shm
ln -s pts/ptmx dev/ptmx
ln -s /proc/self/fd dev/fd
ln -s fd/0 dev/stdin
ln -s fd/1 dev/stdout
ln -s fd/2 dev/stderr
mount -t tmpfs -o mode=755 tmpfs run
mount --bind "$debs" var/cache/apt/archives
mkdir -p .old
pivot_root . .old
umount -l /.old
rmdir /.old

export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8
echo "$commands" | while IFS= read -r line; do
	echo "-- \$ $line"
	start=$(date +%s)
	# As in a login, but with an empty standard input, so that nothing can wait for an answer.
	runuser -l newcomer -c "cd 'rr warden' && $line" </dev/null || {
		echo "-- failed ($(($(date +%s) - start)) s): $line"
		exit 1
	}
	echo "-- done ($(($(date +%s) - start)) s): $line"
done
