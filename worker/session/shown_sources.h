#ifndef WORKER_SHOWN_SOURCES_H
#define WORKER_SHOWN_SOURCES_H
/*
 * The sources that a session has opened, as source.c opens them.
 */
#include <jansson.h>
#include "worker/serve/files.h"

struct shown_sources {
	struct files files;
	json_t *missing; /* recorded path: why it cannot be opened */
	json_t *told;	 /* those of them that a client was told about */
};

#endif
