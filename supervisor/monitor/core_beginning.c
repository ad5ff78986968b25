/*
 * See core_beginning.h. Only copies bytes from a pipe: the program that makes them is confined, and
 * another confined child reads them. Must never wait longer than the deadline.
 */
#include "supervisor/monitor/core_beginning.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/pmu/pmu_probe.h"
#include "sandbox/roles.h"
#include "supervisor/deadlines.h"
#include "supervisor/monitor/inspector.h"
#include "supervisor/monitor/visible_paths.h"

#define BEGINNING_MAX	  (32L << 20) /* bytes; the notes of 7000 threads */
#define BEGINNING_SECONDS 3
#define MEMORY_MAX	  (1UL << 30)

static bool find(const char *program, char path[PATH_MAX])
{
	return pmu_find_program(program, path, PATH_MAX) == 0 && visible_path_is_of_system(path);
}

static _Noreturn void become(
    const char *path, int core, int out, const struct sandbox_policy *policy)
{
	struct sandbox_policy own = {.parent = getppid(), .memory_max = MEMORY_MAX};
	char *const argv[] = {(char *)path, "-dc", NULL}, *const environment[] = {NULL};
	struct sandbox_report report = {0};
	int null = open("/dev/null", O_WRONLY | O_CLOEXEC), none = -1;
	char why[SANDBOX_WHY_MAX];

	memcpy(own.requested, policy->requested, sizeof(own.requested));
	if (lseek(core, 0, SEEK_SET) == 0 && dup2(core, STDIN_FILENO) >= 0 &&
	    dup2(out, STDOUT_FILENO) >= 0 && dup2(null, STDERR_FILENO) >= 0 &&
	    sandbox_enter(ROLE_QUERY, &own, &none, 0, &report, why, sizeof(why)) == 0)
		execve(path, argv, environment);
	_exit(1);
}

static void copy(int from, int to)
{
	const int64_t deadline = deadline_now() + BEGINNING_SECONDS * DEADLINE_SECOND;
	char bytes[64 * 1024];

	for (long copied = 0; copied < BEGINNING_MAX;) {
		ssize_t got =
		    inspector_await(from, deadline) ? read(from, bytes, sizeof(bytes)) : 0;

		if (got <= 0 || write(to, bytes, (size_t)got) != got)
			return;
		copied += got;
	}
}

int core_beginning_unpack(int core, const char *program, const struct sandbox_policy *policy)
{
	cleanup_fd int beginning = memfd_create("core", MFD_CLOEXEC);
	char path[PATH_MAX];
	int ends[2];
	pid_t child;

	if (beginning < 0 || !find(program, path) || pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	child = fork();
	if (child == 0)
		become(path, core, ends[1], policy);
	close(ends[1]);
	if (child > 0) {
		copy(ends[0], beginning);
		kill(child, SIGKILL);
	}
	close(ends[0]);
	while (child > 0 && waitpid(child, NULL, 0) < 0 && errno == EINTR)
		continue;
	return child > 0 ? steal_fd(&beginning) : -1;
}
