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

#define NAMES_SPAN (1 << 20) /* bytes of the file; two names rarely share one */

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

/* With no more calls than a worker that records is left with. A full disk costs the mark only. */
static void set_mark(int claims, const char *name, char mark)
{
	if (claims >= 0 && lseek(claims, byte_of(name), SEEK_SET) >= 0 &&
	    write(claims, &mark, 1) != 1)
		return;
}

bool claim_was_left(int claims, const char *name)
{
	char mark = 0;

	return claims >= 0 && pread(claims, &mark, 1, byte_of(name)) == 1 && mark;
}

void claim_settle(int claims, const char *name)
{
	set_mark(claims, name, 0);
}

/* Of the open file, not of the process: each plan of a process has its own. */
bool claim_name(int claims, const char *name)
{
	struct flock all = {.l_type = F_UNLCK, .l_whence = SEEK_SET};
	struct flock one = {
	    .l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = byte_of(name), .l_len = 1};

	fcntl(claims, F_OFD_SETLK, &all);
	if (fcntl(claims, F_OFD_SETLK, &one) != 0 && (errno == EAGAIN || errno == EACCES))
		return false;
	set_mark(claims, name, 1);
	return true;
}
