#ifndef WORKER_PROCESS_LIST_H
#define WORKER_PROCESS_LIST_H
/*
 * The processes of a trace, out of the text that `rr ps` prints, and their images. Pure: bytes in,
 * JSON out.
 */
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

struct execs;

#define PROCESS_LIST_BUDGET (30 * 1024) /* bytes of JSON in an answer; further ones are counted */
#define PROCESS_IMAGES_MAX  50
#define PROCESS_COMMAND_MAX 400 /* bytes of a command line in one answer */

/*
 * {"processes": [{pid, ppid?, exit_code?, signal?, command, forked?, ended?}], "more"?: n}: `more`
 * counts the processes beyond `budget` bytes of JSON, `forked` says that the process never called
 * exec (so that a replay of it wants fork_pid), `ended: false` that it had not exited when the
 * recording ended. NULL when the text is not what rr ps prints.
 */
json_t *process_list_parse(const char *text, size_t length, size_t budget);

/* [{event, file?}], the images of one process, at most PROCESS_IMAGES_MAX of them; NULL when there
 * is none. */
json_t *process_images(const struct execs *execs, int pid);

/* "SIGSEGV" for 11; "signal 70" in `name` for one without a name. Returns name. */
const char *signal_to_name(int number, char *name, size_t size);

#endif
