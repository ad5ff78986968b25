#ifndef SANDBOX_DROP_H
#define SANDBOX_DROP_H
/*
 * What a process gives up for good. Each verb returns 0, or -1 with errno.
 */
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>
#include "sandbox/sandbox.h"

/* No exec below us raises privileges: first of all, since seccomp and Landlock ask for it. */
int drop_new_privs(void);

/* Limits of the policy; never a core file. */
int drop_limits(const struct sandbox_policy *policy);

/*
 * Empties every set, the bounding and ambient ones too, but for the bits `keep` of those it has.
 * Without CAP_SETPCAP the bounding set stays; no_new_privs makes it powerless.
 */
int drop_capabilities(uint64_t keep);

/*
 * Death with the parent. To be called after every change of ids, which clears it. Fails with ESRCH
 * when the parent is not `parent` any more.
 */
int drop_die_with(pid_t parent);

/* Nobody of the same user may ptrace us or read our memory. */
int drop_dumpable(void);

/* Memory once writable is never executable, where the kernel has that (6.3): best effort. */
void drop_writable_code(void);

/* Closes all descriptors above 2 but `keep`, at most FDS_KEEP_MAX of them. */
#define FDS_KEEP_MAX 16
int drop_descriptors(const int *keep, size_t count);

#endif
