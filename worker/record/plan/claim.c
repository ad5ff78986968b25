/*
 * See claim.h. Must never make or touch a trace.
 */
#include "worker/record/plan/claim.h"

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

/* FNV-1a. If two names share a byte, one of them only gets another number. */
static off_t byte_of(const char *name)
{
	uint64_t hash = UINT64_C(0xcbf29ce484222325);

	for (; *name; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return (off_t)(hash % NAMES_SPAN);
}

/* Uses only system calls that a recording worker still has. A full disk costs only the mark. */
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

/* A lock of the open file, not of the process, because each plan of a process has its own. */
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
