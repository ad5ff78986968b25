#ifndef TESTS_SESSION_H
#define TESTS_SESSION_H
/*
 * A session of one process that never calls exec, with a scripted gdb. There is no rr and no trace:
 * the script has rr's answers.
 */
#include "scripted.h"
#include "worker/session/images.h"
#include "worker/session/launch/parts.h"
#include "worker/session/replay_inside.h"
#include "worker/trace/dump/execs.h"
#include "worker/trace/trace.h"

/* The questions after each stop: which thread it is, and where rr stands. */
#define THREAD(number, tid)                                                                        \
	{                                                                                          \
		"-thread-info " #number,                                                           \
		    "^done,threads=[{id=\"" #number "\",target-id=\"Thread 7." #tid "\"}]"         \
	}
#define WHEN(event)  CONSOLE("when", "Current event: " #event)
#define TICKS(ticks) CONSOLE("when-ticks", "Current tick: " #ticks)
#define CONSOLE(command, prints)                                                                   \
	{                                                                                          \
		"-interpreter-exec console \"" command "\"", "~\"" prints "\\n\"\n^done"           \
	}
#define STANDS(event, ticks) THREAD(1, 7), WHEN(event), TICKS(ticks)

/* A run, or a restart by rr, that stops at an address for a reason ("" for none). */
#define STOPPED(reason, pc)                                                                        \
	"^running\n*running,thread-id=\"all\"\n*stopped," reason "frame={level=\"0\",addr=\"" pc   \
	"\",func=\"main\"},thread-id=\"1\""
#define BREAKPOINT_HIT(number) "reason=\"breakpoint-hit\",disp=\"keep\",bkptno=\"" #number "\","
#define RESTART(target, pc)                                                                        \
	{"-exec-arguments " target, "^done"}, {"-exec-run", STOPPED("", pc)},                      \
	{                                                                                          \
		"-gdb-show confirm", "^done,value=\"off\""                                         \
	}

static struct scripted peer;
static struct replay *replay;

static inline void session_begin(const struct line *script)
{
	struct trace trace = {.directory = -1, .path = "/trace"};
	struct failure failure = {0};
	struct execs execs = {0};

	scripted_begin(&peer, script, NULL);
	replay = replay_new(&peer.worker, &trace);
	ck_assert_ptr_nonnull(replay);
	replay->gdb = peer.gdb;
	replay->taught.statics = STATICS_UNKNOWN; /* the scripted gdb has no Python */
	ck_assert(images_from_execs(replay, &execs, &failure));
	peer.worker.replay = replay;
}

/* What a test ends with, or a fixture: nothing if there is no session. */
static inline void session_end(void)
{
	if (replay == NULL)
		return;
	replay_free(replay);
	replay = NULL;
	scripted_end(&peer);
}

#endif
