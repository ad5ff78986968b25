#ifndef WORKER_HISTORY_TALLY_H
#define WORKER_HISTORY_TALLY_H
/*
 * A history whose rows are complete needs of each further change only the code that made it: the
 * software counter counts them without a stop. Code of the program's own stops once, so that gdb
 * names it. Other code stops at each change, because its callers count. At the end a second run
 * goes to the last change of each place.
 *
 * Where a change may be missing, all is done again from where it began to count, with stops.
 */
#include "worker/investigate/values/history.h"

/* At a stop that has been counted: begins, if that is worth it and possible. */
void history_tally_begin(struct history *history, struct replay *replay);

/* At each further stop while it counts. SCAN_ENOUGH: a change may be missing. */
enum scan_verdict history_tally_see(
    struct history *history, struct replay *replay, const struct hit *hit);

/* The run of `search` with `visit` has come to this end: completes the counts, and the last moments
 * in history->last. Returns the end of the whole. Nothing if it has not begun. */
enum search_end history_tally_finish(struct history *history, struct search *search,
    enum search_end end, scan_visit *visit, struct failure *failure);

#endif
