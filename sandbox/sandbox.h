#ifndef SANDBOX_SANDBOX_H
#define SANDBOX_SANDBOX_H
/*
 * The sandbox as its callers see it: a role, a request for each layer, and an honest report of the
 * layers it has. The layers themselves are small functions in drop.h, ns.h, landlock.h and
 * seccomp.h; their tables are in roles.h.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "sandbox/layers.h"

enum sandbox_role {
	ROLE_SUPERVISOR, /* after start: no fork, exec, open, socket */
	ROLE_LAUNCHER,	 /* forks and execs workers, nothing else */
	ROLE_WORKER,	 /* a replay worker after its tools run: no fork, no exec */
	ROLE_RR_REPLAY,
	ROLE_GDB,
	ROLE_RECORD,	/* rr record and the recorded program: never an ERRNO verdict */
	ROLE_QUERY,	/* rr ps, traceinfo, list: reads only */
	ROLE_CHANGE,	/* rm, pack, import, export */
	ROLE_STATUS,	/* rr_status: tries the counters */
	ROLE_RECORDER,	/* a record worker once rr records: looks after the trace, asks rr ps */
	ROLE_BROKER,	/* opens files for a worker */
	ROLE_LEDGER,	/* the broker of a recording: notes its sources, which inspectors read */
	ROLE_STARTER,	/* starts rr again beside a confined worker */
	ROLE_INSPECTOR, /* reads one open file and writes what it found: nothing else */
	ROLE_COUNT
};

enum layer_request { REQUEST_OFF, REQUEST_PREFER, REQUEST_REQUIRE };

#define SANDBOX_WHY_MAX 96

/* The beginning of a layer's text, if the role does not use the layer by design. */
#define LAYER_UNUSED "not used: "

/*
 * What this machine supports, as sandbox_probe found it. Every process gets every layer that the
 * machine supports; a process that cannot have one is not started.
 */
struct sandbox_machine {
	bool has[LAYER_COUNT];
	char why[LAYER_COUNT][SANDBOX_WHY_MAX]; /* one clause for each missing layer */
};

/*
 * What is seen of the file system. Where mount namespaces work, the role gets an empty root with
 * what it needs of the system (system_view in roles_files.c), private /tmp, /var/tmp, /dev and
 * /dev/shm, and what is named here. A role that records sees all of the machine instead, read-only,
 * and may write what is named here. Landlock's rules are made from the same lists.
 *
 * All names are absolute paths without links. A named path that is not there or cannot be had fails
 * the call, not the layer.
 */
struct sandbox_policy {
	enum layer_request requested[LAYER_COUNT];
	const char *const *read_write; /* NULL-terminated paths the role may write, or NULL */
	const char *const *read_only;  /* further ones it may read, or NULL */
	const char *const *parents;    /* directories of which it may remove entries, or NULL */
	const char *const *listed;     /* directories that it may list, or NULL */
	const char *const *files_only; /* directories that it may read the files of, or NULL */
	const char *const *links; /* pairs of a path and the target of the link there, or NULL */
	const char *const *empty; /* directories that exist, but appear empty, or NULL */
	const char *directory;	  /* where the child starts; NULL: in / */
	bool covers;		/* a recording: other homes and the machine's secrets are hidden */
	bool own_network;	/* a recording: it has a private network, as all other roles have */
	bool in_view;		/* sandbox_enter: the process is already in the role's view */
	bool lists_only;	/* sandbox_enter: the lists above count even in the view */
	bool compat_abi;	/* ROLE_RR_REPLAY: the trace has 32-bit processes */
	size_t memory_max;	/* bytes of address space, 0: no limit */
	unsigned processes_max; /* 0: no limit */
	size_t file_max;	/* bytes of one file, 0: no limit */
	unsigned cpu_seconds;	/* 0: no limit */
	unsigned tcp_port;	/* the one port rr may bind and gdb may connect to, 0: any */
	pid_t parent;		/* sandbox_enter: the process with which we die; 0: none */

	/* sandbox_fork: what the machine has; NULL: it is probed for this call. */
	const struct sandbox_machine *machine;
	/* sandbox_fork: called in the child, in its namespaces but with all of the file system
	 * still in sight, to fill in the lists above; they must outlive the set-up. Returns 0, or
	 * -1 with why. NULL: they are filled in already. */
	int (*compose)(void *owner, struct sandbox_policy *policy, char *why, size_t why_size);
	void *owner;
};

enum layer_status {
	STATUS_OFF,
	STATUS_FULL,
	STATUS_DEGRADED, /* the machine lacks it */
	STATUS_UNUSED	 /* this role does not use it by design */
};

struct sandbox_report {
	enum layer_status status[LAYER_COUNT];
	char why[LAYER_COUNT][SANDBOX_WHY_MAX]; /* of what was degraded or unused, one clause */
	bool call_failed; /* sandbox_fork's -1 is due to a path of the call, not to a layer */
	int error;	  /* sandbox_fork's errno of that */
};

/* The stable name of a layer. */
const char *sandbox_layer_name(enum sandbox_layer layer);

/* The default: seccomp, no_new_privs, capabilities and rlimits required, the rest preferred. */
void sandbox_policy_default(struct sandbox_policy *policy);

/* The JSON of a policy's requested layers and of reports, as WIRE_OP_START has them ({layer:
 * text}). */
json_t *sandbox_requested_json(const struct sandbox_policy *policy);
json_t *sandbox_report_json(const struct sandbox_report *report);

/* Takes requested layers from such JSON; what is missing or unknown stays as it is. */
void sandbox_requested_from_json(struct sandbox_policy *policy, const json_t *json);

/* The name of a system call of this architecture, or "system call N", in text[size]. */
const char *sandbox_syscall_name(int number, char *text, size_t size);

/*
 * Finds out which layers this machine supports. Call it once, at start, before anybody else can
 * influence it; it forks. The caller must be single-threaded. Returns 0, or -1 with errno if no
 * process can be started, which says nothing about the machine.
 */
int sandbox_probe(struct sandbox_machine *machine);

/*
 * Forks a child into fresh namespaces (user, pid, net with lo up, mount, ipc, uts): those that are
 * wanted and that the machine has, all of them or none. Returns as fork does: in the child, which
 * is the pid namespace's init, with the namespaces set up; in the parent, after the child is set
 * up, with *pidfd open (CLOEXEC). The report's namespace layers are filled in both. -1 with errno
 * and why (which layer or which path, what failed) when a required layer is missing or any step
 * failed: no child is left then. The child dies with the parent (PDEATHSIG KILL) and has the
 * policy's limits. A private network is required of ROLE_WORKER, because rr's debug port has no
 * password, and of a recording whose policy asks for one. For queries "require" means "prefer"
 * there, and other recordings have their user's network.
 *
 * The caller must be single-threaded.
 */
pid_t sandbox_fork(enum sandbox_role role, struct sandbox_policy *policy,
    struct sandbox_report *report, int *pidfd, char *why, size_t why_size);

/* A child that sandbox_begin has forked. */
struct sandbox_child {
	pid_t pid;
	int pidfd;   /* CLOEXEC */
	int channel; /* can be read once the child is set up, has failed or has died */
};

/* What a child may take until it is set up; a dead network mount, for instance, takes for ever. */
#define SANDBOX_SETUP_MAX_MS 10000

/*
 * sandbox_fork in two steps, for a parent that must not wait, because others need it: what a call
 * names can make the set-up slow. sandbox_begin returns 0 in the child, as sandbox_fork does, and
 * the child's number in the parent at once. Once the channel can be read, or the time is over,
 * sandbox_finish lets the child go on (0, with the channel closed), or kills it (-1 with errno and
 * why, both descriptors closed), also one that is not set up yet. It does not wait for the end of
 * the child: to reap it is the caller's task.
 */
pid_t sandbox_begin(enum sandbox_role role, struct sandbox_policy *policy,
    struct sandbox_child *child, struct sandbox_report *report, char *why, size_t why_size);
int sandbox_finish(
    struct sandbox_child *child, struct sandbox_report *report, char *why, size_t why_size);

/*
 * What sandbox_enter reports for this policy if it succeeds, to report on another process that has
 * entered a role: every requested layer, except for what the machine lacks. Fills in the layers of
 * the report other than the namespaces.
 */
void sandbox_expect(const struct sandbox_policy *policy, struct sandbox_report *report);

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
int sandbox_enter(enum sandbox_role role, const struct sandbox_policy *policy, const int *keep_fds,
    size_t keep_count, struct sandbox_report *report, char *why, size_t why_size);

#endif
