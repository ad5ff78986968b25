#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H
/*
 * Landlock: restricts the files and ports that a role can reach, as far as the kernel's version
 * supports that. It replaces mount namespaces where there are none, and is a second barrier where
 * there are.
 */
#include <stddef.h>
#include "sandbox/roles.h"
#include "sandbox/sandbox.h"

/* From this version on, Landlock covers everything that we ask for: files, truncation, TCP,
 * devices, scopes. */
#define LANDLOCK_ABI_FULL 6

/* Why the layer is degraded. */
#define LANDLOCK_MISSING "this kernel has no Landlock, or it is switched off"
#define LANDLOCK_OLD	 "this kernel's Landlock is too old for some of the rules"

/* The kernel's Landlock ABI, 0 when it has none. */
int landlock_abi(void);

/*
 * Restricts the calling thread to what the role may reach. Returns 0, or -1 with errno (ENOSYS,
 * EOPNOTSUPP: no Landlock here).
 */
int landlock_restrict(const struct role_rules *rules, const struct sandbox_policy *policy);

/*
 * Keeps the signals of the calling process, and of all that it starts, among them: those that
 * confine themselves later stay reachable for each other. Needs no_new_privs. Returns 0, also where
 * the kernel cannot do that (before ABI 6), or -1 with errno.
 */
int landlock_keep_signals(void);

#endif
