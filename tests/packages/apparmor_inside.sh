#!/bin/sh
# The first process of apparmor.sh's virtual machine: loads profiles, and shows as an ordinary user
# what they lend to whom. Powers the machine off at the end.
export PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8
here=/src/tests/packages
kernel=/proc/sys/kernel

mount -o remount,rw /
mountpoint -q /proc || mount -t proc proc /proc
mountpoint -q /sys || mount -t sysfs sysfs /sys
mount -t securityfs securityfs /sys/kernel/security
mkdir -p /dev/pts /dev/shm
mount -t devpts devpts /dev/pts
mount -t tmpfs -o mode=1777 tmpfs /dev/shm
mount -t tmpfs -o mode=1777 tmpfs /tmp
# shellcheck source=tests/packages/judge.sh
. $here/judge.sh
log=/tmp/log

user() { runuser -u user -- env HOME=/home/user "$@" 2>&1; }
lent() { user "$@" >/tmp/said; cat /tmp/said; grep -q "^$who: user namespaces lent" /tmp/said; }
denied() { user "$@" >/tmp/said; cat /tmp/said; grep -q "^$who: user namespaces denied" /tmp/said && ! grep -q "namespaces lent" /tmp/said; }
says() { # says TEXT COMMAND...
	text=$1
	shift
	user "$@" >/tmp/said
	cat /tmp/said
	grep -q "$text" /tmp/said
}
load() { apparmor_parser --replace --skip-cache "$1"; }

# As Ubuntu starts.
apparmor_parser --replace /etc/apparmor.d/unprivileged_userns
echo 1 >$kernel/apparmor_restrict_unprivileged_userns
who=lent
try "without a profile, there are no user namespaces" denied lent
try "... and no replay" says 'private network\|does not work' rr-warden doctor

# Before there were two profiles. These two rows show that the probe can find something.
cat >/tmp/one <<-'END'
	abi <abi/4.0>,
	profile rr-warden /usr/bin/rr-warden flags=(unconfined) { userns, }
END
load /tmp/one
who=rr-warden
try "one profile lends them to what is preloaded" lent env LD_PRELOAD=/usr/lib/lent.so rr-warden --version
who=lent
try "one profile does not lend them to recorded programs" denied rr-warden rr record lent

load /src/packaging/rr-warden.apparmor
who=rr-warden
for variable in LD_PRELOAD LD_AUDIT; do
	try "two profiles lend nothing to $variable" denied env $variable=/usr/lib/lent.so rr-warden --version
done
again="LD_PRELOAD=/usr/lib/lent.so LENT_AGAIN=1"
# shellcheck disable=SC2086 # two variables
try "... nor to a preloaded library that executes the program" denied env $again rr-warden --version
sed 's/Cx ->/cx ->/' /src/packaging/rr-warden.apparmor >/tmp/unsafe
load /tmp/unsafe
# shellcheck disable=SC2086
try "... which would get them if that start were not secure" lent env $again rr-warden --version
load /src/packaging/rr-warden.apparmor
who=lent
try "two profiles lend nothing to a program that rr records" denied rr-warden rr record lent
try "... and the program has left them" grep -q 'denied in unconfined' /tmp/said
try "... nor to one that the server records" denied rr-warden --sandbox-user_ns=off \
	--sandbox-net_ns=prefer record-until -n 1 lent
try "... which has the variables that the linker removes" says 'LD_LIBRARY_PATH is /opt' \
	env LD_LIBRARY_PATH=/opt rr-warden record-until -n 1 sh -c 'lent LD_LIBRARY_PATH >&2'
try "the server records and replays, in a network of its own" says 'replayed it to the end' rr-warden doctor
try "... and records with no_new_privs" says 'recorded /bin/true' setpriv --no-new-privs rr-warden doctor
try "... where it says what is missing" says 'start it without no_new_privs' setpriv --no-new-privs rr-warden --version

# What the profile's first comment says that no profile prevents.
who=rr-warden
cat >/tmp/debug <<-'END'
	set breakpoint pending on
	set confirm off
	catch exec
	run
	delete
	tbreak unsetenv
	continue
	print (int)unshare(0x10020000) + (int)mount("none", "/tmp", "tmpfs", 0, 0)
	kill
END
try "known: a debugger gets them" says ' = 0$' gdb -batch -nx -x /tmp/debug --args /usr/bin/rr-warden --version
who=lent
try "known: a profile's name gets them" lent aa-exec -p rr-warden//server lent
echo 1 >$kernel/apparmor_restrict_unprivileged_unconfined
try "... unless the host forbids that" denied aa-exec -p rr-warden//server lent
try "... where the server still replays" says 'replayed it to the end' rr-warden doctor

# A profile that leads to itself must not make the program execute itself for ever.
sed -e '/Cx ->/d' /src/packaging/rr-warden.apparmor >/tmp/circle
load /tmp/circle
try "a profile that leads to itself is no trap" timeout 60 runuser -u user -- rr-warden --version

echo "$passed passed, $failed failed"
sync
echo o >/proc/sysrq-trigger
read -r _ </dev/zero # until it is off
