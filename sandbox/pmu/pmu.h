#ifndef SANDBOX_PMU_H
#define SANDBOX_PMU_H
/*
 * Which performance counters rr is to use here, and how to start rr so that it does.
 *
 * The workers, `rr-warden rr` and `rr-warden doctor` all make the same choice. It runs rr once (`rr
 * help`), so the caller must make it before it gives up fork and exec.
 */
#include "sandbox/pmu/pmu_probe.h"

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>

enum pmu_mode { PMU_MODE_AUTO, PMU_MODE_HARDWARE, PMU_MODE_SOFTWARE };

enum pmu_kind {
	PMU_HARDWARE,	 /* the processor's counters */
	PMU_RR_SOFTWARE, /* software counters that this rr brings itself (-W) */
	PMU_SOFTWARE,	 /* our softpmu.so, loaded into rr */
};

#define PMU_MESSAGE_MAX 256
#define PMU_CARRIED_MAX 2048

struct pmu_choice {
	enum pmu_kind kind;
	unsigned rr_version;	/* as PMU_RR_VERSION */
	char rr_path[PATH_MAX]; /* absolute: what to exec */
	/* Hardware counters, but rr needs softpmu.so as well, because Linux is newer than rr. */
	bool carry_only;
	/* `rr record` must be given -n: this user may not count context switches. */
	bool no_syscall_buffer;
	/* softpmu.so plays a processor whose overflow is at most 100 branches late, not 10000. */
	bool short_skid;
	char why[PMU_MESSAGE_MAX];     /* one clause with the reason for this kind */
	char warning[PMU_MESSAGE_MAX]; /* what will be unreliable, and the fix, or "" */
	char error[PMU_MESSAGE_MAX];   /* one line with the fix, if there is no choice */
};

/* "auto", "hardware", "software"; -1 for anything else. */
int pmu_mode_from_name(const char *name);
/* "hardware", "rr-software", "software". */
const char *pmu_kind_name(enum pmu_kind kind);

/* The longest time that pmu_choose waits for rr. `rr help` takes 10 ms, but seconds on a busy
 * machine. */
#define PMU_PATIENCE_SECONDS 20

/*
 * Makes the choice. rr is a path, or a name that is looked up in PATH. `startup` is the limit for
 * rr's start in seconds, 0 or less: none. Returns 0, or -1 with out->error filled. Takes a few
 * milliseconds; where rr does not answer, PMU_PATIENCE_SECONDS, or `startup` if that is less.
 * If rr gets hardware counters on a processor with cores of two kinds, the calling thread and what
 * it starts stay on one kind from now on.
 */
int pmu_choose(enum pmu_mode mode, const char *rr, double startup, struct pmu_choice *out);

/* The pure part of it: facts in, choice out. out->rr_path is left alone. */
int pmu_decide(enum pmu_mode mode, const struct pmu_facts *facts, struct pmu_choice *out);

/*
 * Options to put directly behind argv[0] of rr, NULL-terminated, static: what makes it use the
 * choice.
 */
const char *const *pmu_rr_options(const struct pmu_choice *choice);

/*
 * The environment for rr: a copy of base (NULL-terminated) and, where needed, LD_PRELOAD with
 * softpmu, an absolute path, before what is there; its folder in LD_LIBRARY_PATH too where the path
 * holds a space. NULL with errno: ENOMEM, EINVAL for a path that these cannot hold (not absolute,
 * or with a colon or semicolon), ENOENT or EACCES for one that cannot be read. Give it to
 * pmu_environment_free.
 */
char **pmu_rr_environment(const struct pmu_choice *choice, const char *softpmu, char *const base[]);
void pmu_environment_free(char **environment);

/*
 * What softpmu.so carries this rr over: the names of what is newer than it, with commas between
 * them. PMU_CARRIED_MAX bytes are enough.
 */
void pmu_carried(unsigned rr_version, char *text, size_t size);

#endif
