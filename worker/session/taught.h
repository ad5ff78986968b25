#ifndef WORKER_TAUGHT_H
#define WORKER_TAUGHT_H
/*
 * What gdb has been told in this session, so that it is told once.
 */
#include <stdbool.h>

struct taught {
	bool caches;			   /* it keeps the memory it has read */
	bool printers_on, printers_loaded; /* see printers.h */
	char library_folders[4096];	   /* where it looks for libraries; see libraries.h */
	bool library_late; /* where one lies was found after it had been loaded; see libraries.h */
	int loads_nothing; /* the image, from 1, that loads no library while it runs; 0: none */
	bool inlined;	   /* where inlined code begins; see inlined.c */
	bool silent_hits;  /* how to count them; see silent_hits.c */
	int watched;	   /* variables of ours; see watchpoint.c */
	enum {
		STATICS_UNTRIED,
		STATICS_CHECKED,
		STATICS_UNKNOWN
	} statics; /* see ambiguous_statics.c */
};

#endif
