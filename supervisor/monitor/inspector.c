/*
 * See inspector.h. The file is mapped, privately, before the child confines itself, so that the
 * child needs no file. Must never parse anything outside of the child.
 */
#include "supervisor/monitor/inspector.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/deadlines.h"

#define NS_PER_MS (DEADLINE_SECOND / 1000)
#define MEMORY_MAX                                                                                 \
	((size_t)1 << 30) /* bytes of address space, beyond the file and what we have              \
			   */

static _Noreturn void inspect(int file, size_t length, int out, inspector_read *read, size_t size,
    const struct sandbox_policy *policy)
{
	struct sandbox_policy own = {.parent = getppid(), .memory_max = length + size + MEMORY_MAX};
	struct sandbox_report report = {0};
	/* libelf changes its copy of a compressed section's header */
	unsigned char *bytes = mmap(NULL, length, PROT_READ | PROT_WRITE, MAP_PRIVATE, file, 0);
	unsigned char *answer = malloc(size);
	char why[SANDBOX_WHY_MAX];
	size_t filled;

	memcpy(own.requested, policy->requested, sizeof(own.requested));
	if (bytes == MAP_FAILED || !answer ||
	    sandbox_enter(ROLE_INSPECTOR, &own, &out, 1, &report, why, sizeof(why)) < 0)
		_exit(1);
	filled = read(bytes, length, answer, size);
	for (size_t given = 0; given < filled;) {
		ssize_t wrote = write(out, answer + given, filled - given);
		if (wrote <= 0)
			_exit(1);
		given += (size_t)wrote;
	}
	_exit(0);
}

bool inspector_await(int from, int64_t deadline)
{
	struct pollfd ready = {.fd = from, .events = POLLIN};

	for (;;) {
		int64_t left = (deadline - deadline_now()) / NS_PER_MS;
		int result = left > 0 ? poll(&ready, 1, (int)left) : 0;
		if (result >= 0 || errno != EINTR)
			return result > 0;
	}
}

/* Until the other end is closed. False if that takes too long. */
static bool receive(int from, int64_t deadline, char *answer, size_t size, size_t *length)
{
	while (inspector_await(from, deadline)) {
		ssize_t got = read(from, answer + *length, size - *length);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			return got == 0;
		*length += (size_t)got;
	}
	return false;
}

size_t inspector_run(int file, inspector_read *read, const struct sandbox_policy *policy,
    int deadline_ms, void *answer, size_t size)
{
	int64_t deadline = deadline_now() + deadline_ms * NS_PER_MS;
	struct stat status;
	size_t length = 0;
	int ends[2], end = 0;
	pid_t child;

	if (fstat(file, &status) < 0 || !S_ISREG(status.st_mode) || status.st_size <= 0 ||
	    pipe2(ends, O_CLOEXEC) < 0)
		return 0;
	child = fork();
	if (child == 0)
		inspect(file, (size_t)status.st_size, ends[1], read, size, policy);
	close(ends[1]);
	if (child > 0 && !receive(ends[0], deadline, answer, size, &length))
		kill(child, SIGKILL);
	close(ends[0]);
	while (child > 0 && waitpid(child, &end, 0) < 0 && errno == EINTR)
		continue;
	return child > 0 && WIFEXITED(end) && WEXITSTATUS(end) == 0 ? length : 0;
}
