/*
 * A container as Docker 20.10 makes one by default: its capabilities, and its seccomp profile as
 *far as it touches us (moby's profiles/seccomp/default.json). Runs a program in it.
 *
 *	container PROGRAM ARGUMENTS...
 */
#include <errno.h>
#include <sched.h>
#include <seccomp.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/capability.h>
#include <sys/prctl.h>
#include <unistd.h>

#define NO_CONTAINER 77
#define NAMESPACES                                                                                 \
	(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER |             \
	    CLONE_NEWPID | CLONE_NEWNET)

static const cap_value_t kept[] = {CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_FSETID, CAP_FOWNER, CAP_MKNOD,
    CAP_NET_RAW, CAP_SETGID, CAP_SETUID, CAP_SETFCAP, CAP_SETPCAP, CAP_NET_BIND_SERVICE,
    CAP_SYS_CHROOT, CAP_KILL, CAP_AUDIT_WRITE};

/* What the profile grants only with CAP_SYS_ADMIN or another capability that is not there. */
static const int refused[] = {SCMP_SYS(unshare), SCMP_SYS(setns), SCMP_SYS(mount),
    SCMP_SYS(umount2), SCMP_SYS(pivot_root), SCMP_SYS(fsopen), SCMP_SYS(fsmount),
    SCMP_SYS(fsconfig), SCMP_SYS(fspick), SCMP_SYS(move_mount), SCMP_SYS(open_tree),
    SCMP_SYS(mount_setattr), SCMP_SYS(perf_event_open), SCMP_SYS(bpf), SCMP_SYS(sethostname),
    SCMP_SYS(setdomainname), SCMP_SYS(userfaultfd), SCMP_SYS(keyctl), SCMP_SYS(add_key),
    SCMP_SYS(request_key), SCMP_SYS(kcmp), SCMP_SYS(process_vm_readv), SCMP_SYS(process_vm_writev),
    SCMP_SYS(quotactl), SCMP_SYS(syslog)};

/* The profile knows a few personalities; none has ADDR_NO_RANDOMIZE, but for the question
 * 0xffffffff. */
#define NO_RANDOMIZE 0x0040000U
#define QUESTION     0x80000000U

static int keep_capabilities(void)
{
	cap_t set = cap_init();

	if (geteuid() != 0)
		return 0;
	for (int cap = 0; cap <= cap_max_bits(); cap++) {
		int keep = 0;
		for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
			keep |= kept[i] == cap;
		if (!keep && prctl(PR_CAPBSET_DROP, cap, 0, 0, 0) < 0 && errno != EINVAL)
			return -1;
	}
	if (set == NULL ||
	    cap_set_flag(set, CAP_EFFECTIVE, sizeof(kept) / sizeof(kept[0]), kept, CAP_SET) < 0 ||
	    cap_set_flag(set, CAP_PERMITTED, sizeof(kept) / sizeof(kept[0]), kept, CAP_SET) < 0)
		return -1;
	return cap_set_proc(set);
}

static int add_refusals(scmp_filter_ctx filter)
{
	int failed = 0;

	for (size_t i = 0; i < sizeof(refused) / sizeof(refused[0]); i++)
		failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), refused[i], 0);
	for (int bit = 0; bit < 32; bit++)
		if (NAMESPACES & (1U << bit))
			failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(clone),
			    1, SCMP_A0(SCMP_CMP_MASKED_EQ, 1U << bit, 1U << bit));
	failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(ENOSYS), SCMP_SYS(clone3), 0);
	failed |= seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(personality), 1,
	    SCMP_A0(SCMP_CMP_MASKED_EQ, QUESTION | NO_RANDOMIZE, NO_RANDOMIZE));
	return failed;
}

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);

	if (argc < 2 || filter == NULL || keep_capabilities() < 0 || add_refusals(filter) != 0 ||
	    seccomp_load(filter) != 0) {
		fputs("container: none can be made here\n", stderr);
		return NO_CONTAINER;
	}
	seccomp_release(filter);
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 127;
}
