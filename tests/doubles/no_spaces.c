/*
 * Runs a program without namespaces, as in many containers: in a user namespace that allows none
 * below it, under our own ids, without any capability. For tests only.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>
#include "sandbox/drop.h"
#include "sandbox/ns.h"

#define NO_NAMESPACES 77

int main(int argc, char **argv)
{
	uid_t uid = geteuid();
	gid_t gid = getegid();

	if (argc < 2 || unshare(CLONE_NEWUSER) < 0)
		return NO_NAMESPACES;
	if (ns_map_ids(uid, gid) < 0 || ns_forbid_nesting() < 0 || drop_capabilities(0) < 0)
		return NO_NAMESPACES;
	execv(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
