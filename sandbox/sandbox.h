#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H
/*
 * The sandbox as its callers see it: a role, a requirement for each layer, and an honest report of
 * what was got. The layers themselves are small verbs in drop.h, ns.h, landlock.h, seccomp.h and
 * fds.h; their tables are in policy.h.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

enum sandbox_role {
	ROLE_SUPERVISOR, /* after start: no fork, exec, open, socket */
	ROLE_LAUNCHER,	 /* forks and execs workers, nothing else */
	ROLE_WORKER,	 /* a replay worker after its tools run: no fork, no exec */
	ROLE_RR_REPLAY,
	ROLE_GDB,
	ROLE_RECORD,   /* rr record and the recorded program: never an ERRNO verdict */
	ROLE_QUERY,    /* rr ps, traceinfo, rm, list */
	ROLE_RECORDER, /* a record worker once rr records: looks after the trace, asks rr ps */
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

/*
 * What is seen of the file system where mount namespaces or Landlock work: all of / read-only, but
 * homes, /run and secrets (hidden_paths in policy.c), with private /tmp, /var/tmp, /dev/shm, /dev;
 * and what is named here. Names are absolute paths of directories; one that does not exist is
 * passed over; longer ones lie on top of shorter ones. The server's libexec directory is always
 * seen.
 */
struct sandbox_settings {
	enum sandbox_want want[LAYER_COUNT];
	const char *const *read_write; /* NULL-terminated directories the role may write, or NULL */
	const char *const *read_only;  /* further ones it may read, or NULL */
	bool show_home;		       /* $HOME is read-only to it, but what begins with a dot */
	size_t memory_max;	       /* bytes of address space, 0: no limit */
	unsigned processes_max;	       /* 0: no limit */
	size_t file_max;	       /* bytes of one file, 0: no limit */
	unsigned cpu_seconds;	       /* 0: no limit */
	unsigned tcp_port; /* the one port rr may listen on and gdb may connect to, 0: any */
	pid_t parent;	   /* sandbox_enter: the process whose death is ours too, 0: nobody's */
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

/* The JSON of settings' wants and of reports, as WIRE_OP_START has them ({layer: text}). */
json_t *sandbox_wants_json(const struct sandbox_settings *settings);
json_t *sandbox_report_json(const struct sandbox_report *report);

/* Takes wants from such JSON; what is missing or unknown stays as it is. */
void sandbox_wants_from_json(struct sandbox_settings *settings, const json_t *json);

/* The name of a system call of this architecture, or "system call N", in text[size]. */
const char *sandbox_syscall_name(int number, char *text, size_t size);

/* "full", or "degraded" when a wanted layer is missing, or "off" when none is on. */
const char *sandbox_report_level(const struct sandbox_report *report);

/*
 * Forks a child into fresh namespaces (user, pid, net with lo up, mount, ipc, uts: as wanted and as
 * far as the kernel gives them). Returns as fork does: in the child, which is the pid namespace's
 * init, with the namespaces set up; in the parent, after the child is set up, with *pidfd open
 * (CLOEXEC). The report's namespace layers are filled in both. -1 with errno and why (which layer,
 * what failed) when a required layer could not be had: no child is left then. The child dies with
 * the parent (PDEATHSIG KILL), has the settings' limits, and starts in the parent's working
 * directory where that is seen, in / otherwise. A private network is required of ROLE_WORKER only,
 * since rr's debug port has no password; for the others "require" means "prefer" there.
 *
 * The caller must be single-threaded.
 */
pid_t sandbox_fork(enum sandbox_role role, const struct sandbox_settings *settings,
    struct sandbox_report *report, int *pidfd, char *why, size_t why_size);

/*
 * Locks the calling process for its role, for good: no_new_privs, rlimits, descriptors, Landlock,
 * empty capabilities, PDEATHSIG and parent recheck, seccomp last. `keep_fds` (at most 16) are the
 * only descriptors above 2 that stay open. Fills the report's other layers (namespace layers are
 * left as they are: pass the report of sandbox_fork, or a zeroed one). Returns 0, or -1 with why
 * (the step and its error) when a required layer failed; the caller must then exit.
 *
 * To be called in a tool's child between fork and exec as well; there nothing but the exec or an
 * exit may follow (ROLE_GDB allows one exec only). The path to be exec'd must be in what is seen.
 */
int sandbox_enter(enum sandbox_role role, const struct sandbox_settings *settings,
    const int *keep_fds, size_t keep_count, struct sandbox_report *report, char *why,
    size_t why_size);

#endif
