/*
 * Reads the reason out of gdb's last *stopped record.
 */
#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/session/stop_reason.h"
#include "worker/session/replay_inside.h"

static const struct {
	const char *mi;
	enum stop_kind kind;
} reasons[] = {
    {"breakpoint-hit", STOP_BREAKPOINT},
    {"watchpoint-trigger", STOP_WATCHPOINT},
    {"read-watchpoint-trigger", STOP_WATCHPOINT},
    {"access-watchpoint-trigger", STOP_WATCHPOINT},
    {"watchpoint-scope", STOP_WATCHPOINT},
    {"signal-received", STOP_SIGNAL},
    {"end-stepping-range", STOP_STEP},
    {"location-reached", STOP_STEP},
    {"function-finished", STOP_FINISHED},
    {"no-history", STOP_START},
    {"exited", STOP_EXITED},
    {"exited-normally", STOP_EXITED},
    {"exited-signalled", STOP_EXITED},
};

static const char *const names[] = {
    [STOP_BREAKPOINT] = "breakpoint",
    [STOP_WATCHPOINT] = "watchpoint",
    [STOP_SIGNAL] = "signal",
    [STOP_STEP] = "step",
    [STOP_FINISHED] = "finished",
    [STOP_START] = "start",
    [STOP_END] = "end",
    [STOP_EXITED] = "end",
    [STOP_EVENT] = "event",
};

/* rr stops with SIGKILL where the process ends, and with "0" where we told it to stop. */
static enum stop_kind signal_kind(const char *name)
{
	if (name && strcmp(name, "SIGKILL") == 0)
		return STOP_END;
	return name && strcmp(name, "0") == 0 ? STOP_EVENT : STOP_SIGNAL;
}

enum stop_kind stop_kind(const struct replay *replay)
{
	const json_t *stop = gdb_last_stop(replay->gdb);
	const char *reason = mi_text(stop, "reason");

	for (size_t i = 0; reason && i < sizeof(reasons) / sizeof(*reasons); i++)
		if (strcmp(reason, reasons[i].mi) == 0)
			return reasons[i].kind == STOP_SIGNAL
				   ? signal_kind(mi_text(stop, "signal-name"))
				   : reasons[i].kind;
	return STOP_EVENT;
}

const char *stop_kind_name(enum stop_kind kind)
{
	return names[kind];
}

void stop_call_it(struct replay *replay, const char *reason)
{
	static const char *const of_hits[] = {"bkptno", "disp", "hw-awpt", "value"};
	json_auto_t *stop = json_copy(gdb_last_stop(replay->gdb));

	json_object_set_new(stop, "reason", json_string(reason));
	for (size_t i = 0; i < sizeof(of_hits) / sizeof(*of_hits); i++)
		json_object_del(stop, of_hits[i]);
	gdb_amend_stop(replay->gdb, stop);
}

void stop_call_it_step(struct replay *replay)
{
	stop_call_it(replay, "end-stepping-range");
}
