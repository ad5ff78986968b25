/*
 * A container that forbids one system call: runs a program to which it is refused with EPERM.
 * Usage: forbid SYSCALL PROGRAM ARGUMENTS...
 */
#include <errno.h>
#include <seccomp.h>
#include <stdio.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	if (argc < 3 || filter == NULL ||
	    seccomp_rule_add(
		filter, SCMP_ACT_ERRNO(EPERM), seccomp_syscall_resolve_name(argv[1]), 0) != 0 ||
	    seccomp_load(filter) != 0) {
		fputs("forbid: no such filter here\n", stderr);
		return 126;
	}
	seccomp_release(filter);
	execvp(argv[2], argv + 2);
	perror(argv[2]);
	return 127;
}
