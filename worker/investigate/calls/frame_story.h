#ifndef WORKER_FRAME_STORY_H
#define WORKER_FRAME_STORY_H
/*
 * What rr_frame_story knows of a call while it goes through it, and the answer that is made of it.
 */
#include "worker/investigate/calls/frame_lifetime.h"
#include "worker/investigate/calls/inlined_pass.h"
#include "worker/investigate/calls/story.h"
#include "worker/investigate/code/changes.h"
#include "worker/investigate/search/search.h"
#include "worker/read/names/brief_name.h"
#include "worker/serve/handlers.h"

struct frame_story {
	struct replay *replay;
	const struct frame_story_args *args;
	struct frame_lifetime lifetime;
	struct function_code code;
	struct story story;
	struct changes changes;
	unsigned long long entry, frame; /* frame: gdb's address of it, which tells frames apart */
	int tid;
	char function[128], shown[BRIEF_NAME_MAX]; /* by its symbol, and as people know it */
	char inlined[INLINED_NAME_MAX]; /* the function that is told, which was put into it; "":
					   none */
	struct moment here;		/* in the pass of that one that is told */
	bool arrived;			/* at or behind it */
	bool over;			/* that pass was seen to its end */
	json_t *arguments, *caller, *returned;
	json_t *call;			/* that has not come back yet; borrowed */
	unsigned long long back, stack; /* where it comes back to, and the stack pointer there */
	char callee[FUNCTION_NAME_MAX];
	int catches;	/* gdb's breakpoint where C++ begins to catch; 0: none */
	int level;	/* of its frame, behind those of inlined functions */
	int line;	/* of the function's beginning */
	bool begun;	/* stood behind the function's first instruction */
	bool returning; /* saw the instruction that returns */
	bool full;	/* more lines than a story has, or more stops than the limit allows */
	long long stops;
	bool left; /* the same frame began again: the first call was left in another way */
	const struct spot *tail; /* it ended by jumping there */
};

json_t *frame_story_answer(
    struct frame_story *story, const struct search *search, enum search_end end);

#endif
