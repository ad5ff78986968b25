#ifndef SUPERVISOR_LAUNCHER_H
#define SUPERVISOR_LAUNCHER_H
/*
 * The monitor: it holds the settings, decides what a worker sees and may do, and starts it, so that
 * the process that parses a client's bytes need not and cannot.
 *
 *	supervisor ── keeper ── launcher ── workers
 *
 * The keeper finds out once what this machine gives to a sandbox, and forks a new launcher when one
 * dies, which the locked-down supervisor could not. All of them die with the process above them.
 *
 * On a SEQPACKET pair: the supervisor sends struct launch_request, which names what the client's
 * call names and nothing else; the launcher sends struct launch_notice, with {channel, pidfd}
 * passed along LAUNCH_STARTED. The launcher has already sent WIRE_OP_START on the channel; the
 * worker's answer to it has the id WIRE_START_ID.
 */
#include <limits.h>
#include <stdint.h>

#include "sandbox/wire/proto.h"
#include "sandbox/wire/tools.h"
#include "sandbox/sandbox.h"
#include "supervisor/paths.h"
#include "supervisor/settings.h"

#define LAUNCH_WHY_MAX 320

/* What a call can name, as the client wrote it; "" or left out: nothing. */
enum launch_name {
	LAUNCH_TRACE,	  /* trace_dir */
	LAUNCH_BASE,	  /* trace_base_dir */
	LAUNCH_FILE,	  /* the archive of an export or import */
	LAUNCH_DIRECTORY, /* working_directory */
	LAUNCH_PROGRAM,	  /* the first word of command */
	LAUNCH_GOOD,	  /* the traces of a comparison */
	LAUNCH_BAD,
	LAUNCH_CORE,	   /* core */
	LAUNCH_EXECUTABLE, /* program, of a core file */
	LAUNCH_SYSROOT,	   /* sysroot, likewise */
	LAUNCH_SYMBOLS,	   /* the first of symbols; the others follow */
	LAUNCH_NAME_COUNT = LAUNCH_SYMBOLS + SYMBOLS_MAX
};

#define LAUNCH_NAMES_MAX (LAUNCH_NAME_COUNT * PATH_MAX)

struct launch_request {
	uint32_t tag;	    /* not 0; names the worker in notices */
	uint32_t kind;	    /* enum worker_kind */
	uint32_t operation; /* WIRE_OP_* of the call that the worker is for */
	uint32_t length;    /* of names: LAUNCH_NAME_COUNT strings, each with its NUL */
	char names[LAUNCH_NAMES_MAX];
};

enum launch_what {
	LAUNCH_HELLO, /* a launcher begins; every worker of the one before is dead */
	LAUNCH_STARTED,
	LAUNCH_FAILED, /* why, code */
	LAUNCH_EXITED  /* status, as wait gives it */
};

struct launch_notice {
	uint32_t what, tag;
	int32_t pid, status;
	uint32_t code; /* enum error_code */
	char why[LAUNCH_WHY_MAX];
	char trace[PATH_MAX]; /* LAUNCH_STARTED: the one that is replayed, links resolved; or "" */
};

/* The layers that the settings ask for; nothing visible, no limits. */
void launcher_layers(struct sandbox_policy *policy, const struct settings *settings);

/* Forks keeper and launcher, which inherit everything but stdin and stdout. Returns the
 * supervisor's end (CLOEXEC, NONBLOCK), or -1 with errno. */
int launcher_start(const struct paths *paths, const struct settings *settings);

/* Fills a request; names that are NULL or too long become "". */
void launcher_name(struct launch_request *request, uint32_t tag, enum worker_kind kind,
    uint32_t operation, const char *const names[LAUNCH_NAME_COUNT]);

/* Returns 0, or -1 if there is no launcher or its queue is full. */
int launcher_request(int fd, const struct launch_request *request);

/* Returns 1 with a notice (fds are -1 but with LAUNCH_STARTED; the caller's to close), 0 when there
 * is none, -1 when launcher and keeper are gone. */
int launcher_receive(int fd, struct launch_notice *notice, int fds[2]);

/* The launcher's life, in its own process; never returns. Defined in launcher_process.c. */
_Noreturn void launcher_run(int fd, const struct paths *paths, const struct settings *settings,
    const struct sandbox_machine *machine);

#endif
