#ifndef SANDBOX_SECCOMP_H
#define SANDBOX_SECCOMP_H
/*
 * The system call filter of a role, made from its table and loaded for good.
 */
#include "sandbox/roles.h"

enum seccomp_result {
	SECCOMP_LOADED,
	SECCOMP_EXEC_STAYS, /* loaded, but this kernel or container cannot allow an exec once only
			     */
	SECCOMP_FAILED,	    /* see errno; nothing is loaded */
};

/*
 * Loads the role's filter, with the 32-bit architecture where `compat` is true; no_new_privs must
 * be set. Where the role reports, SIGSYS from now on says the call's number on stderr and, for a
 * worker, as WIRE_VIOLATION on its channel, and then kills. Where it has VERDICT_ONCE rows, a
 * thread stands by until the exec has happened, so the caller must exec or exit soon.
 */
enum seccomp_result seccomp_enter(const struct role_rules *rules, bool compat);

#endif
