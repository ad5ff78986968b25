/*
 * /proc/PID/maps as rr before 5.9 understands it: Linux 6.13 and later split [vvar] in two.
 */
#ifndef RR_WARDEN_SOFTPMU_MAPS_H
#define RR_WARDEN_SOFTPMU_MAPS_H

#include <stdbool.h>
#include <stddef.h>

/* True for "/proc/PID/maps", "/proc/self/maps" and "/proc/PID/task/TID/maps". */
bool maps_is_maps_path(const char *path);

/*
 * Joins a [vvar] line with the [vvar_vclock] line that continues it, in place; text has length
 * bytes and need not end in NUL. Returns the new length, never more than length.
 */
size_t maps_join_vvar(char *text, size_t length);

#endif
