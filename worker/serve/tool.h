#ifndef WORKER_TOOL_H
#define WORKER_TOOL_H
/*
 * The tools of a worker (rr, gdb): starts them confined and without inherited descriptors, watches
 * them through pipes, and ends them reliably.
 */
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include "sandbox/sandbox.h"
#include "worker/serve/ops.h"

struct tool_spec {
	const char *path; /* absolute */
	char *const *argv;
	char *const *environment; /* all of it */
	enum sandbox_role role;
	const struct sandbox_policy *policy;
	bool wants_input;      /* a pipe on its stdin; else /dev/null */
	bool merge_output;     /* its stderr goes where its stdout goes */
	int output;	       /* its stdout goes to this descriptor; -1: to a pipe of ours */
	const char *directory; /* where it starts, links resolved; NULL: where we are */
	int extra;	       /* kept open in the tool under TOOL_EXTRA_FD; -1: none */
	const int *also; /* two more, under TOOL_ALSO_FD and the number behind it; NULL: none */
	pid_t parent;	 /* its parent: 0 for us, else our own parent */
};

#define TOOL_EXTRA_FD 3
#define TOOL_ALSO_FD  4

struct tool {
	pid_t pid;  /* 0: not running */
	int input;  /* write end, -1: none; all ends are CLOEXEC and NONBLOCK */
	int output; /* read end, -1: none */
	int errors; /* read end, -1: none */
	int status; /* as from waitpid, once pid is 0 */
};

#define TOOL_NONE ((struct tool){.input = -1, .output = -1, .errors = -1})

/* Starts a tool that has a process group of its own and dies with us. Returns 0, or -1 with why. */
int tool_start(struct tool *tool, const struct tool_spec *spec, char *why, size_t why_size);

/* Reaps those of the tools that have ended: pid becomes 0, and status is filled. */
void tools_reap(struct tool *const tools[], size_t count);

/* The same, and reaps all other children, such as orphans that we inherited as init of a pid
 * namespace. A tool that is not among these would end without its status. */
void tools_reap_all(struct tool *const tools[], size_t count);

/* Kills it with its process group, waits for it and closes its pipes. Safe to repeat. */
void tool_end(struct tool *tool);

/* "signal 9 (Killed)" or "status 1". */
void tool_describe_end(const struct tool *tool, char *text, size_t size);

/* The sandbox and the limits from the configuration, for a tool of this worker. */
void tool_policy(const struct worker_config *config, struct sandbox_policy *policy);

/* PATH, HOME, LANG and the like: only what a tool needs. Static. */
extern char *const tool_environment[];

#endif
