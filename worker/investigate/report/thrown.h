#ifndef WORKER_THROWN_H
#define WORKER_THROWN_H
/*
 * A C++ program that std::terminate ended: why, by which exception, and where that was thrown
 * first.
 */
#include "worker/investigate/fault/fault.h"
#include "worker/moment/return_ticket.h"

#define THROWN_SAID_MAX 1000

enum thrown_cause {
	THROWN_NOTHING,	 /* std::terminate is not on the stack */
	THROWN_UNCAUGHT, /* an exception that nothing catches, or that may not go on */
	THROWN_PURE,	 /* a pure virtual function was called */
	THROWN_THREAD,	 /* a std::thread ended that was not joined */
	THROWN_CALLED,	 /* something called std::terminate, and no exception is known */
};

/* From the frames of the thread that aborts. */
enum thrown_cause thrown_cause(const json_t *frames);

struct thrown {
	json_t *exception;	     /* {type, what, value, inner: {...}, moment} */
	char said[THROWN_SAID_MAX];  /* "uncaught exception std::bad_alloc" */
	char again[THROWN_SAID_MAX]; /* where it was thrown again; "": nowhere */
	int runtime;		     /* frames of the C++ runtime on top of the throw's stack */
	bool stopped; /* something between the throw and a catch does not let it pass */
	bool nothing; /* `throw;` with no exception to throw */
};

/*
 * From the abort back to where the exception was thrown first: the program stands there, and true
 * is returned. `output` (may be NULL) is what it printed. False if the throw is not found; the
 * program then stands anywhere. Must be called within an excursion.
 */
bool thrown_go_back(struct replay *replay, const json_t *output, struct thrown *thrown);

/* At the abort: the level of the frame that threw, if it is still on the stack; 0: it is not. */
int thrown_level(struct replay *replay);

/* All of it in a phrase for the conclusion, FAULT_SAID_MAX bytes. */
void thrown_tell(const struct thrown *thrown, char said[FAULT_SAID_MAX]);

/* Releases what it holds. */
void thrown_clear(struct thrown *thrown);

#endif
