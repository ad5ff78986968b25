#ifndef SUPERVISOR_NAMED_H
#define SUPERVISOR_NAMED_H
/*
 * A file that a call names and a worker will see: the rules that each of them must pass, and what
 * the audit and the client hear of it.
 */
#include <limits.h>
#include <stddef.h>
#include <sys/stat.h>

struct composition;
struct grantee;

struct named {
	struct composition *composition;
	const char *what;    /* how the audit and the client's error call it */
	const char *name;    /* as the client wrote it; "": nothing */
	char real[PATH_MAX]; /* links resolved; named_follow fills it */
	char *why;
	size_t why_size;
};

/* Fills why with one sentence, sets errno, and returns -1. named_refuse also writes the audit. */
int named_fail(const struct named *named, int error, const char *reason);
int named_refuse(const struct named *named, const char *rule);

/* Where the name leads: 1; 0 if it names nothing; -1 as named_fail: nothing is there, or it must
 * not be seen. */
int named_follow(struct named *named);

/* 0, or -1 as named_refuse for what is hidden from recordings and lies in nobody's home. */
int named_check_hidden(const struct named *named);

/* Opens a regular file that the user owns, or that the administrator or everybody lets him read,
 * without waiting for a pipe or a device. `kind` is what it should be, such as "a core file". The
 * descriptor, or -1 as named_fail. */
int named_open(const struct named *named, const char *kind, struct stat *status);

/* Who asks, for grant.c. The caller has room for the home, to which it points. */
struct grantee named_grantee(char home[PATH_MAX]);

#endif
