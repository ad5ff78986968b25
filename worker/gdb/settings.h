#ifndef WORKER_SETTINGS_H
#define WORKER_SETTINGS_H
/*
 * gdb's settings for a session. Some are unknown to an old gdb, which then refuses them without
 * harm; the others must succeed.
 */
#include <stdbool.h>
#include "worker/gdb/gdb.h"

/* Writes those that must succeed into the script that gdb sources. False: `file` took not all. */
bool settings_write(int file);

/* Sends the others, and waits for no answer. */
void settings_tell(struct gdb *gdb);

#endif
