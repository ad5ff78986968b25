#ifndef WORKER_EXECS_H
#define WORKER_EXECS_H
/*
 * The successful execs of a trace and how its processes ended, out of the text that `rr dump -e`
 * prints. The text is read as it comes, because it is a kilobyte for each event of the trace.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include "worker/serve/ops.h"

#define EXECS_MAX      20000 /* further ones only set `cut` */
#define EXECS_SHOWN    50
#define EXECS_READ_MS  10000 /* for reading a trace's, while somebody waits */
#define EXECS_FILE_MAX 4096  /* bytes of a file's name; a longer one is unknown */

struct exec {
	int pid;
	long long event; /* at which the exec has succeeded: the new image begins behind it */
	char *file;	 /* the new image; NULL: rr does not say */
	bool by_thread;	 /* a thread that was not the leader called it */
};

struct ending {
	int pid;
	int status; /* as from waitpid */
};

struct execs {
	struct exec *list; /* in the order of events */
	struct ending *endings;
	size_t count, ending_count;
	uint64_t handled, unhandled; /* signals, bit N-1: they ran a handler, or did without */
	int first_pid;		     /* the first process of the trace; 0: there was no event */
	long long last;		     /* the last event that was seen */
	bool cut; /* not everything was read, or there was more than the bounds allow */
};

struct execs_parser;

/* The parser fills `execs`, which must be zeroed and outlive it. NULL when memory is out. */
struct execs_parser *execs_parser_new(struct execs *execs);
/* Takes the next bytes of the text, wherever they were split. */
void execs_parser_feed(struct execs_parser *parser, const char *bytes, size_t length);
/* Takes an unfinished last line, and frees. */
void execs_parser_end(struct execs_parser *parser);

void execs_free(struct execs *execs);

/* [{event, file?}] of one process, at most EXECS_SHOWN of them; NULL when there is none. */
json_t *execs_json(const struct execs *execs, int pid);

/*
 * Reads the trace at an absolute path, which was judged before, for at most limit_ms: what was read
 * until then stays, with `cut` set. False with *failure filled when rr dump does not start or the
 * operation was interrupted; execs_free in every case.
 */
bool execs_read(struct worker *worker, const char *path, int limit_ms, struct execs *execs,
    struct failure *failure);

#endif
