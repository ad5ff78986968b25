/*
 * See core_stop.h. gdb opens the core file by our descriptor, so that it reads what was judged. It
 * reports no stop for a core file; what it says instead becomes one.
 */
#include "worker/session/launch/core_stop.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/check.h"
#include "worker/gdb/exchange.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/session/launch/core_gaps.h"
#include "worker/serve/tool.h"
#include "worker/session/images.h"
#include "worker/session/launch/launched.h"
#include "worker/session/replay_inside.h"
#include "worker/trace/dump/execs.h"
#include "worker/trace/process_list.h"
#include "worker/trace/trace.h"

/* The root of its container, for libraries and their debug information. */
static bool set_root(struct replay *replay, const char *sysroot, struct failure *failure)
{
	char absolute[TRACE_PATH_MAX], path[PATH_MAX];

	if (!sysroot || !*sysroot)
		return true;
	if (trace_file_to_path(sysroot, absolute, sizeof(absolute)) < 0)
		return trace_fail_name(sysroot, failure);
	if (!realpath(absolute, path))
		return trace_fail_path(
		    failure, ERROR_NOT_FOUND, NULL, "there is no directory", absolute, 0);
	if (!trace_check_nameable("sysroot", path, failure) ||
	    !gdb_check(replay->gdb, gdb_command(replay->gdb, NULL, "-gdb-set sysroot %s", path),
		ERROR_GDB_FAILED, NULL, failure))
		return false;
	gdb_must(replay->gdb, NULL, "-gdb-set debug-file-directory %s/usr/lib/debug", path);
	return true;
}

static bool read_program(struct replay *replay, const char *program, struct failure *failure)
{
	char quoted[GDB_QUOTED_MAX];

	if (!program)
		return true;
	if (!gdb_quote(quoted, "the program's name", program, failure))
		return false;
	if (gdb_command(replay->gdb, NULL, "-file-exec-and-symbols %s", quoted) == GDB_REFUSED)
		json_array_append_new(replay->warnings,
		    json_sprintf("no symbols from %.200s: %s", program, gdb_message(replay->gdb)));
	return !replay->worker->broken;
}

/* The number of the signal that ended the process; 0: none did, it was copied while it lived. */
static int signal_of(struct replay *replay)
{
	json_auto_t *results = NULL;
	const char *value;

	gdb_try(replay->gdb, &results, "-data-evaluate-expression $_exitsignal");
	value = mi_text(results, "value");
	return value ? (int)strtol(value, NULL, 10) : 0;
}

static void make_stop(struct replay *replay, json_t *frame)
{
	json_auto_t *stop = json_object(), *results = NULL;
	int number = signal_of(replay);
	char name[32];

	gdb_must(replay->gdb, &results, "-thread-info");
	if (number > 0) {
		json_object_set_new(stop, "reason", json_string("signal-received"));
		json_object_set_new(
		    stop, "signal-name", json_string(signal_to_name(number, name, sizeof(name))));
	}
	if (mi_text(results, "current-thread-id"))
		json_object_set(stop, "thread-id", json_object_get(results, "current-thread-id"));
	if (frame)
		json_object_set(stop, "frame", frame);
	gdb_amend_stop(replay->gdb, stop);
}

/* Those of the start: that a library is not the one that was mapped, or is not there. */
static void keep_warnings(struct replay *replay)
{
	json_auto_t *warnings = exchange_take_warnings(gdb_exchange(replay->gdb));

	if (warnings)
		json_array_extend(replay->warnings, warnings);
}

static bool read_core(struct replay *replay, const char *sysroot, struct failure *failure)
{
	json_auto_t *results = NULL, *frame = NULL;
	enum gdb_outcome outcome;

	outcome = gdb_command(replay->gdb, &results, "-target-select core /proc/self/fd/%d",
	    core_gaps_close(replay, sysroot && *sysroot ? sysroot : NULL));
	if (outcome == GDB_REFUSED)
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "use a core file as the kernel, systemd-coredump or gdb's gcore writes it",
		    "gdb cannot read %.300s as a core file: %.200s", core_path(replay->core),
		    gdb_message(replay->gdb));
	if (outcome == GDB_REFUSED ||
	    !gdb_check(replay->gdb, outcome, ERROR_GDB_FAILED, NULL, failure))
		return false;
	frame = json_incref(json_object_get(results, "frame"));
	make_stop(replay, frame);
	keep_warnings(replay);
	return !replay->worker->broken;
}

static void warn_truncated(struct replay *replay)
{
	unsigned long long missing = core_contents(replay->core)->missing;

	if (missing)
		json_array_append_new(replay->warnings,
		    json_sprintf(
			"the core file is truncated: %llu bytes of memory are missing, and "
			"cannot be read; frames and values may be missing too. `ulimit -c "
			"unlimited`, or systemd's ProcessSizeMax and ExternalSizeMax, make "
			"whole ones",
			missing));
}

/* A core file has one image of one process. */
static bool make_image(struct replay *replay, struct failure *failure)
{
	struct execs none = {0};

	replay->pid = core_contents(replay->core)->pid;
	return images_from_execs(replay, &none, failure);
}

bool core_stop(struct replay *replay, const struct core_asked *asked, struct failure *failure)
{
	const struct core_mapped *mapped = core_file_program(core_contents(replay->core));

	warn_truncated(replay);
	replay->executable = core_program_find(replay, asked, failure);
	if (!replay->executable && failure->message[0])
		return false;
	replay->original = strdup(mapped ? mapped->name : "");
	return replay->original && make_image(replay, failure) &&
	       set_root(replay, asked->sysroot, failure) &&
	       read_program(replay, replay->executable, failure) &&
	       read_core(replay, asked->sysroot, failure);
}
