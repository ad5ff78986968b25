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

/*
 * One of them with another value, until the scope ends:
 *
 *	cleanup_setting struct gdb_setting depth = gdb_setting_begin(gdb, "print max-depth", "%d",
 *3);
 */
struct gdb_setting {
	struct gdb *gdb;
	const char *back; /* what it is again at the end; NULL: it is so already */
};

#define cleanup_setting __attribute__((cleanup(gdb_setting_end), unused))

struct gdb_setting gdb_setting_begin(struct gdb *gdb, const char *name, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Does nothing if the session is over. */
void gdb_setting_end(struct gdb_setting *setting);

#endif
