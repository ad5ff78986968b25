#ifndef WORKER_CORE_H
#define WORKER_CORE_H
/*
 * The core file of a session that has one instead of a trace. Such a session has one moment, and no
 * rr: who asks something of time or of rr asks replay_core first. tools.def says which tools do
 * not.
 */
#include <jansson.h>
#include <stdbool.h>
#include "sandbox/core/core_file.h"
#include "worker/session/replay.h"

struct core;

/* NULL: the session replays a trace. */
const struct core *replay_core(const struct replay *replay);

/* Takes over `path`, where the core file is, and the descriptors: of the file as it was named, of
 * its contents, which are the same unless it is compressed, and of an empty file in memory for a
 * copy. `room`: bytes that may be put there. NULL: out of memory. */
struct core *core_new(char *path, int named, int contents, int copy, long long room);
void core_free(struct core *core);

/* Reads its headers and notes. Only a confined worker may. False with *failure filled. */
bool core_read(struct core *core, struct failure *failure);
const struct core_file *core_contents(const struct core *core);
bool core_memory(const struct core *core, uint64_t address, void *to, size_t size);

/* Where it is; links are resolved. */
const char *core_path(const struct core *core);
int core_named_fd(const struct core *core);
int core_contents_fd(const struct core *core);
int core_copy_fd(const struct core *core);
long long core_room(const struct core *core);
const struct core_bytes *core_bytes(const struct core *core);
bool core_is_compressed(const struct core *core);

/* Which file it is, so that another one in its place is not taken for it. The caller frees it. */
json_t *core_identity_json(const struct core *core);
/* Fills *failure if the file is no longer what it was when it was opened. */
bool core_has_changed(const struct core *core, struct failure *failure);

/* What was mapped, as gdb's `info proc mappings` prints it, and with what only the core file has:
 * rights, and memory without a file. The caller frees it; NULL: out of memory. */
char *core_mappings(const struct core *core);

#endif
