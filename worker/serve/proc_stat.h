#ifndef WORKER_PROC_STAT_H
#define WORKER_PROC_STAT_H
/*
 * Numbers from /proc/PID/stat.
 */

#include <stdbool.h>

/* Fields, counted from 1 after the name. */
enum proc_stat {
	PROC_STAT_PARENT = 2,
	PROC_STAT_USER_TIME = 12, /* in clock ticks */
	PROC_STAT_SYSTEM_TIME = 13,
	PROC_STAT_THREADS = 18
};

/* A field of the process `number` (its name in the open directory /proc); 0 if it has ended. */
unsigned long proc_stat_field(int proc, const char *number, enum proc_stat field);

#define PROC_NAME_MAX 64

/* The name of its program, which the kernel cuts after 15 bytes. False if it has ended. */
bool proc_stat_name(int proc, const char *number, char name[PROC_NAME_MAX]);

#endif
