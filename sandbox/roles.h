#ifndef SANDBOX_ROLES_H
#define SANDBOX_ROLES_H
/*
 * What each role can do, as data: system calls, capabilities, files. The functions that enforce it
 * are in seccomp.h, drop.h, ns.h and landlock.h.
 */
#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "sandbox/sandbox.h"

enum verdict {
	VERDICT_ALLOW,
	VERDICT_EPERM,	/* EPERM */
	VERDICT_ENOSYS, /* ENOSYS: the C library falls back to an older call that can be filtered */
	VERDICT_TRAP,	/* SIGSYS, whose handler names the call and dies: for our own code */
	VERDICT_KILL,	/* the process dies by SIGSYS */
	VERDICT_ONCE,	/* allowed the first time (the exec that makes the tool), ENOSYS later */
};

/* One argument, masked and compared. A row without conditions has mask 0. */
struct condition {
	unsigned argument;
	uint64_t mask;
	uint64_t value;
};

struct syscall_row {
	int number; /* SCMP_SYS() */
	enum verdict verdict;
	struct condition when; /* the verdict holds when it matches */
	struct condition and;
	struct condition also;
};

/* As a condition's value: the id of the process that loads the filter. */
#define ARGUMENT_SELF (UINT64_C(1) << 63)

/*
 * The last call that these tables know of (Linux 6.1: set_mempolicy_home_node; from 424 on all
 * architectures number alike). Later ones, and the numbers that rr gives a meaning to, do not exist
 * for roles with an allow-list: ENOSYS, so that a C library of tomorrow falls back.
 */
#define SYSCALL_KNOWN_MAX 450

struct syscall_group {
	const struct syscall_row *rows;
	size_t count;
};

#define ROLE_GROUPS_MAX 7

enum compat {
	COMPAT_NEVER,
	COMPAT_ASKED, /* if the policy says so, because the trace has 32-bit processes */
	COMPAT_ALWAYS /* a recorded program may be one */
};

struct role_rules {
	const char *name;
	enum verdict otherwise;				     /* for calls that no row names */
	enum compat compat;				     /* whether 32-bit programs can run */
	const struct syscall_group *groups[ROLE_GROUPS_MAX]; /* NULL ends them if there are fewer */

	uint64_t capabilities; /* the ones that stay, if it has them: bits 1 << CAP_* */

	bool landlocked;   /* not for roles that make mount namespaces, because Landlock forbids
			      mounting */
	bool reads_system; /* the part of the system in its view */
	bool writes_proc;  /* /proc/PID/mem of tracees */
	bool writes;	   /* what the policy names as writable, and /dev/shm */
	bool
	    writes_tmp; /* /tmp and /var/tmp too, the machine's where there is no mount namespace */
	bool binds_port;    /* listens on TCP */
	bool connects;	    /* connects over TCP */
	bool user_network;  /* the user's, unless the policy says otherwise */
	bool keeps_signals; /* can signal only processes that are confined with it */

	bool undumpable; /* nobody of the same user may ptrace it or read its memory */
	bool reports;	 /* reports SIGSYS to the supervisor before it dies */
};

extern const struct role_rules role_rules[ROLE_COUNT];

/*
 * Paths that a recording with covers does not see: a directory gets an empty one on top, a file an
 * empty file. NULL-terminated.
 */
extern const char *const hidden_paths[];

/* What every role sees of the system, if it exists. NULL-terminated. */
extern const char *const system_view[];

/* Parts of /proc that a process of uid 0 could change without any capability. NULL-terminated. */
extern const char *const proc_read_only[];

/* The devices that the private /dev has. NULL-terminated. */
extern const char *const devices[];

#endif
