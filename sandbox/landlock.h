#ifndef SANDBOX_LANDLOCK_H
#define SANDBOX_LANDLOCK_H
/*
 * Landlock: which files and ports a role reaches, as far as the kernel's version of it goes. It
 * stands where there are no mount namespaces, and doubles them where there are.
 */
#include <stddef.h>
#include "sandbox/roles.h"
#include "sandbox/sandbox.h"

/* From this version on all that we ask for is ruled: files, truncation, TCP, devices, scopes. */
#define LANDLOCK_ABI_FULL 6

/* The kernel's Landlock ABI, 0 when it has none. */
int landlock_abi(void);

/*
 * Restricts the calling thread to what the role may reach. Returns 0, or -1 with errno (ENOSYS,
 * EOPNOTSUPP: no Landlock here).
 */
int landlock_restrict(const struct role_rules *rules, const struct sandbox_policy *policy);

#endif
