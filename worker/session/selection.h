#ifndef WORKER_SELECTION_H
#define WORKER_SELECTION_H
/*
 * The selected thread and frame: the one place that sets them. Clients know a thread by its tid as
 * recorded; gdb's own numbers change whenever rr starts anew, and are never shown.
 */
#include "worker/session/replay.h"

/* Selects the thread of gdb's last stop, in its innermost frame. */
void selection_take_stop(struct replay *replay);

/* The same for a stop on the way of a search, without asking gdb: registers and values are those of
 * the thread that stopped, in its innermost frame. Its tid and name come with selection_take_stop.
 */
void selection_follow_stop(struct replay *replay);

/* Selects a thread by its tid. If there is no such thread now, changes nothing and returns false.
 */
bool selection_set_thread(struct replay *replay, int tid);

/* Selects a frame of the selected thread, or fills *failure if it has none with this number. */
bool selection_choose_frame(struct replay *replay, long long level, struct failure *failure);

/* Selects a frame of the selected thread; false if gdb refuses. */
bool selection_set_frame(struct replay *replay, int level);

/* Reads from that frame of the selected thread what is read next; does not ask gdb. */
void selection_read_from(struct replay *replay, int level);

/* Runs a console command in the selected thread and frame; gdb_console_text is what it printed.
 * False if gdb refuses, or if the command is too long. */
bool selection_console(struct replay *replay, const char *command);

/* The same in any frame of a thread (gdb's number), and in the frame's own language alone. */
bool selection_console_in(struct replay *replay, int thread, int frame, const char *command);

/* gdb's number of the thread with that tid; 0: there is no such thread now. */
int selection_number(struct replay *replay, int tid);

#endif
