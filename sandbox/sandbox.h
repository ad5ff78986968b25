#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H
/*
 * The sandbox as its callers see it: a role, a requirement for each layer, and an honest report of
 * what was got. The layers themselves are small verbs in drop.h, ns.h, landlock.h, seccomp.h and
 * fds.h; their tables are in policy.h.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum sandbox_role {
	ROLE_SUPERVISOR, /* after start: no fork, exec, open, socket */
	ROLE_LAUNCHER,	 /* forks and execs workers, nothing else */
	ROLE_WORKER,	 /* a replay worker after its tools run: no fork, no exec */
	ROLE_RR_REPLAY,
	ROLE_GDB,
	ROLE_RECORD, /* rr record and the recorded program: never an ERRNO verdict */
	ROLE_QUERY,  /* rr ps, traceinfo, rm, list */
	ROLE_COUNT
};

enum sandbox_layer {
	LAYER_NO_NEW_PRIVS,
	LAYER_RLIMITS,
	LAYER_CAPABILITIES,
	LAYER_USER_NS,
	LAYER_PID_NS,
	LAYER_NET_NS,
	LAYER_MOUNT_NS,
	LAYER_IPC_NS,
	LAYER_UTS_NS,
	LAYER_LANDLOCK,
	LAYER_SECCOMP,
	LAYER_COUNT
};

enum sandbox_want { WANT_OFF, WANT_PREFER, WANT_REQUIRE };

struct sandbox_settings {
	enum sandbox_want want[LAYER_COUNT];
	const char *const *read_write; /* NULL-terminated directories the role may write, or NULL */
	const char *const
	    *read_only;		/* further directories it may read, or NULL: all of / but homes */
	size_t memory_max;	/* bytes of address space, 0: no limit */
	unsigned processes_max; /* 0: no limit */
	size_t file_max;	/* bytes of one file, 0: no limit */
	unsigned cpu_seconds;	/* 0: no limit */
};

enum sandbox_got { GOT_OFF, GOT_FULL, GOT_DEGRADED };

struct sandbox_report {
	enum sandbox_got got[LAYER_COUNT];
	char why[LAYER_COUNT][96]; /* of what was degraded, one clause */
};

/* The stable name of a layer, and back; -1 when unknown. */
const char *sandbox_layer_name(enum sandbox_layer layer);
int sandbox_layer_from_name(const char *name);

/* The default: seccomp, no_new_privs, capabilities and rlimits required, the rest preferred. */
void sandbox_settings_default(struct sandbox_settings *settings);

/* "full", or "degraded" when a wanted layer is missing, or "off" when none is on. */
const char *sandbox_report_level(const struct sandbox_report *report);

/*
 * Forks a child into fresh namespaces (user, pid, net with lo up, mount, ipc, uts: as wanted and as
 * far as the kernel gives them). Returns as fork does: in the child, which is the pid namespace's
 * init, with the namespaces set up and the report filled; in the parent with *pidfd open (CLOEXEC).
 * -1 with errno when a required layer could not be had (the child reports it before it dies: why, a
 * buffer of why_size, says which). A child that starts has PDEATHSIG KILL.
 */
pid_t sandbox_fork(enum sandbox_role role, const struct sandbox_settings *settings,
    struct sandbox_report *report, int *pidfd, char *why, size_t why_size);

/*
 * Locks the calling process for its role, for good: no_new_privs, rlimits, Landlock, empty
 * capabilities, PDEATHSIG and parent recheck, seccomp last. `keep_fds` are the only descriptors
 * above 2 that stay open. Returns 0, or -1 with why filled when a required layer failed; the caller
 * must then exit. To be called in a tool's child between fork and exec as well.
 */
int sandbox_enter(enum sandbox_role role, const struct sandbox_settings *settings,
    const int *keep_fds, size_t keep_count, struct sandbox_report *report, char *why,
    size_t why_size);

#endif
