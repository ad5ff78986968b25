/*
 * See claim.h. Must never make or touch a trace.
 */
#include "worker/record/claim.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <unistd.h>
#include "sandbox/cleanup.h"

#define NAMES_SPAN (INT64_MAX >> 1) /* bytes that a lock may be on; two names rarely share one */

int claim_open(const char *directory)
{
	cleanup_fd int parent = open(directory, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (parent < 0)
		return -1;
	return openat(
	    parent, CLAIM_FILE, O_RDWR | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
}

/* FNV-1a. Who shares a byte with another name gets another number, no more. */
static off_t byte_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return (off_t)(hash % NAMES_SPAN);
}

/* Of the open file, not of the process: each plan of a process has its own. */
bool claim_name(int claims, const char *name)
{
	struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
	struct flock one = {
	    .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte_of(name), .l_len = 1};

	fcntl(claims, F_OFD_SETLK, &all);
	return fcntl(claims, F_OFD_SETLK, &one) == 0 || (errno != EAGAIN && errno != EACCES);
}
