#ifndef WORKER_LOADED_STATE_H
#define WORKER_LOADED_STATE_H
/*
 * What a session has learned of the libraries of its recording, as data; see loaded.h.
 */
#include "worker/gdb/mi/solibs.h"
#include "worker/session/replay.h"

#define LOADED_STRETCHES_MAX 16
#define LINKED_EARLY_MAX     8

struct loaded {
	bool agrees;	    /* gdb knows the libraries that are loaded where the program stands */
	unsigned changes;   /* of the list, when the program stood at `last` */
	struct moment last; /* event 0: how it came there says nothing of what lies between */
	struct loaded_stretch {
		unsigned image;		/* see images_number */
		unsigned long long sum; /* of the libraries that are loaded all along it */
		struct moment from, to;
	} stretches[LOADED_STRETCHES_MAX];
	size_t count;
	struct linked { /* see linked.h */
		unsigned image;
		bool none; /* there is no such moment, or it cannot be held */
		struct moment at;
		int held; /* see position_hold, of this rr or of one before; 0: not found yet */
		struct solib_range early[LINKED_EARLY_MAX]; /* what was loaded before: the loader */
		size_t early_count;
		bool resolves; /* code of the program itself has run before, or may have */
	} linked;
	int before_end; /* the rr that keeps a checkpoint there, or was asked to: its
			 * replay_rr_number, from 1; see position.c */
};

#endif
