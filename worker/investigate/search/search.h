#ifndef WORKER_SEARCH_H
#define WORKER_SEARCH_H
/*
 * Searches a stretch of the recording forward and hands each hit to a visitor. The session's own
 * replay does the searching: whoever asks begins an excursion before, and ends it after.
 *
 *	search_begin	 goes to where the stretch begins
 *	...		 set what it is to stop at, with gdb's own breakpoints and watchpoints
 *	search_run	 runs to where the stretch ends
 *	search_end	 signals stop again as the client has them
 */
#include "worker/moment/instant/fingerprint.h"
#include "worker/session/replay.h"
#include "worker/run/sweep/scan.h"

#define SEARCH_STOPS_MAX 1000000

enum search_end {
	SEARCH_WHOLE,  /* reached the end of the stretch: the program stands there or after it */
	SEARCH_ENOUGH, /* the visitor had enough: the program stands at that hit */
	SEARCH_CUT,    /* interrupted: everything up to `reached` is searched */
	SEARCH_FAILED, /* *failure is filled */
};

struct search {
	struct replay *replay;
	struct moment from,
	    to;	      /* where it begins, once the program stands there; `to` if it is bounded */
	bool bounded; /* `to` bounds it, and belongs to it; otherwise it ends with the image */
	struct fingerprint bound; /* at `to` */
	int guard;		  /* gdb's number of the breakpoint there; 0: none */
	bool guarded;		  /* what the caller has set stops there too: it needs no guard */
	struct moment reached;
	bool stands; /* cut off: the program stands at `reached` */
	scan_visit *visit;
	void *context;
	bool empty;    /* it begins where it ends */
	bool over;     /* the stretch has ended */
	int told;      /* the share of the trace that was last reported as progress, in percent */
	bool captured; /* the search ignores signals */
};

/* Sets the stretch from the names of its ends, as rr_goto takes them; NULL: the start or the end of
 * the image. False with *failure filled if these are no stretch. */
bool search_stretch(struct replay *replay, const char *from, const char *to,
    struct moment stretch[2], struct failure *failure);

/* Goes to where the stretch begins. No breakpoint may be enabled yet. False with *failure filled.
 * Call search_end in either case. */
bool search_begin(struct search *search, struct replay *replay, const struct moment stretch[2],
    struct failure *failure);

/* The same for hits of one breakpoint, gdb's number, which has no hit before `earliest` ({0}: it
 * may): the search begins where its hits can begin. */
bool search_begin_hits(struct search *search, struct replay *replay, const struct moment stretch[2],
    int number, const struct moment *earliest, struct failure *failure);

/*
 * Runs on from where the program stands. The visitor sees breakpoints and watchpoints, not signals;
 * replay_now and the selected thread are those of the hit. It may ask gdb what it likes, and
 * set and remove breakpoints, but not move the program. To be called again after SEARCH_ENOUGH.
 */
enum search_end search_run(
    struct search *search, scan_visit *visit, void *context, struct failure *failure);

/* The same with many breakpoints, which gdb then leaves in the program at its stops: it would take
 * out and put in all of them at each. The visitor sets no more for the hardware than that has. */
enum search_end search_run_many(
    struct search *search, scan_visit *visit, void *context, struct failure *failure);

/* Goes back to a moment of the stretch, to search on from there. False with *failure filled. */
bool search_again(struct search *search, const struct moment *from, struct failure *failure);

/* Something on the way has failed, which *failure tells: SEARCH_CUT, without a failure, if that is
 * because the time was over; else SEARCH_FAILED. */
enum search_end search_failed(const struct search *search, struct failure *failure);

void search_end(struct search *search);

/* After a run with this end: whether what was counted without a stop lies in the part that was
 * searched. The program may have run beyond it. */
bool search_stayed_inside(const struct search *search, enum search_end end);

/* Whether it begins and ends at the same moment, so that nothing can be found. */
bool search_is_empty(const struct search *search);

/* Says in an answer that the search was cut off: "cut_off", with the share that was searched and
 * how to go on; and in the conclusion, which is there already, that it is about a part only, or
 * about an empty stretch. If another image follows, it says that this one was not searched. */
void search_tell(const struct search *search, enum search_end end, json_t *answer);

#endif
