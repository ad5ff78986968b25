#ifndef SANDBOX_DROP_H
#define SANDBOX_DROP_H
/*
 * What a process gives up for good. Each function returns 0, or -1 with errno.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "sandbox/sandbox.h"

/* No exec from here on can raise privileges. Must come first, because seccomp and Landlock need it.
 */
int drop_new_privs(void);

/* Limits of the policy; never a core file. */
int drop_limits(const struct sandbox_policy *policy);

/*
 * Empties every set, including the bounding and ambient ones, except for the bits in `keep` that it
 * has. Without CAP_SETPCAP the bounding set stays, but no_new_privs makes it harmless.
 */
int drop_capabilities(uint64_t keep);

/*
 * Dies with the parent. Call it after every change of ids, which clears it. Fails with ESRCH if the
 * parent is no longer `parent`.
 */
int drop_die_with(pid_t parent);

/* Nobody of the same user may ptrace us or read our memory. */
int drop_dumpable(void);

/* Memory that was writable cannot become executable, if the kernel supports that (6.3): best
 * effort. */
void drop_writable_code(void);

/* Closes all descriptors above 2 except `keep`, at most FDS_KEEP_MAX of them. */
#define FDS_KEEP_MAX 32
int drop_descriptors(const int *keep, size_t count);

#endif
