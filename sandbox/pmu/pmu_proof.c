/*
 * See pmu_proof.h. Must leave neither a process nor a file behind, whatever rr does.
 */
#include "sandbox/pmu/pmu_proof.h"

#include "sandbox/cleanup.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PROGRAM	      "/bin/true"
#define ARGUMENTS_MAX 12
#define DEPTH_MAX     8

/* How one run of rr ended. */
enum run { RUN_GOOD, RUN_BAD, RUN_LATE, RUN_NOT_STARTED };

static long milliseconds_now(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000L + now.tv_nsec / 1000000L;
}

/* The child: its own process group, no descriptors of ours, and signals as a program expects them.
 */
static _Noreturn void become_rr(const char *rr, const char *const argv[], char *const environment[])
{
	sigset_t none;
	int null = open("/dev/null", O_RDWR);

	sigemptyset(&none);
	sigprocmask(SIG_SETMASK, &none, NULL);
	signal(SIGPIPE, SIG_DFL);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	setpgid(0, 0);
	if (dup2(null, 0) == 0 && dup2(null, 1) == 1 && dup2(null, 2) == 2 &&
	    syscall(SYS_close_range, 3U, ~0U, 0) == 0)
		execve(rr, (char *const *)argv, environment);
	_exit(127);
}

/* Waits until it has ended, or the deadline has passed. */
static bool ends_in_time(pid_t pid, long deadline)
{
	cleanup_fd int fd = (int)syscall(SYS_pidfd_open, pid, 0U);
	struct pollfd ended = {.fd = fd, .events = POLLIN};
	long left;

	while (fd >= 0 && (left = deadline - milliseconds_now()) > 0)
		if (poll(&ended, 1, (int)left) > 0)
			return true;
	return false;
}

static enum run run_rr(
    const char *rr, const char *const argv[], char *const environment[], long deadline)
{
	int status = 0;
	pid_t pid = fork();

	if (pid < 0)
		return RUN_NOT_STARTED;
	if (pid == 0)
		become_rr(rr, argv, environment);
	bool in_time = ends_in_time(pid, deadline);
	if (!in_time) {
		kill(-pid, SIGKILL);
		kill(pid, SIGKILL); /* it may not have its group yet */
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!in_time)
		return RUN_LATE;
	return WIFEXITED(status) && WEXITSTATUS(status) == 0 ? RUN_GOOD : RUN_BAD;
}

static int remove_entry(const char *path, const struct stat *status, int type, struct FTW *walk)
{
	(void)status;
	(void)type;
	(void)walk;
	remove(path);
	return 0;
}

/* rr's options of the choice, and then the words of its command. */
static void fill_arguments(
    const char **argv, const struct pmu_choice *choice, const char *const words[])
{
	const char *const *options = pmu_rr_options(choice);
	size_t count = 0;

	argv[count++] = "rr";
	while (*options != NULL && count < ARGUMENTS_MAX / 2)
		argv[count++] = *options++;
	while (*words != NULL && count < ARGUMENTS_MAX)
		argv[count++] = *words++;
	argv[count] = NULL;
}

/* The environment for rr, which puts nothing outside of the folder. NULL with errno. */
static char **environment_in(
    const struct pmu_choice *choice, const char *softpmu, const char *folder)
{
	char temporary[PATH_MAX], traces[PATH_MAX];
	char *const base[] = {
	    temporary, traces, (char *)"PATH=/usr/bin:/bin", (char *)"HOME=/", NULL};

	snprintf(temporary, sizeof(temporary), "TMPDIR=%s", folder);
	snprintf(traces, sizeof(traces), "_RR_TRACE_DIR=%s", folder);
	return pmu_rr_environment(choice, softpmu, base);
}

static enum pmu_proof judge(enum run run, const char *what, double seconds, char *why, size_t size)
{
	switch (run) {
	case RUN_GOOD:
		return PMU_PROOF_HELD;
	case RUN_NOT_STARTED:
		return PMU_PROOF_OPEN;
	case RUN_BAD:
		snprintf(why, size, "rr could not %s " PROGRAM " with it", what);
		return PMU_PROOF_FAILED;
	case RUN_LATE:
		snprintf(
		    why, size, "rr did not %s " PROGRAM " with it within %.0f s", what, seconds);
		return PMU_PROOF_FAILED;
	}
	return PMU_PROOF_OPEN;
}

static enum pmu_proof prove_in(const char *folder, const struct pmu_choice *choice,
    const char *softpmu, double seconds, char *why, size_t size)
{
	char trace[PATH_MAX];
	const char *const record[] = {"record", "-o", trace, "--", PROGRAM, NULL};
	const char *const unbuffered[] = {"record", "-n", "-o", trace, "--", PROGRAM, NULL};
	const char *const replay[] = {"replay", "-a", trace, NULL};
	const char *argv[ARGUMENTS_MAX + 1];
	long deadline = milliseconds_now() + (long)(seconds * 1000);
	char **environment = environment_in(choice, softpmu, folder);
	enum pmu_proof proof;

	if (environment == NULL)
		return PMU_PROOF_OPEN;
	snprintf(trace, sizeof(trace), "%s/trace", folder);
	fill_arguments(argv, choice, choice->no_syscall_buffer ? unbuffered : record);
	proof = judge(
	    run_rr(choice->rr_path, argv, environment, deadline), "record", seconds, why, size);
	if (proof == PMU_PROOF_HELD) {
		fill_arguments(argv, choice, replay);
		proof = judge(run_rr(choice->rr_path, argv, environment, deadline),
		    "replay a recording of", seconds, why, size);
	}
	pmu_environment_free(environment);
	return proof;
}

enum pmu_proof pmu_prove(
    const struct pmu_choice *choice, const char *softpmu, double seconds, char *why, size_t size)
{
	const char *parent = getenv("TMPDIR");
	char folder[PATH_MAX / 2];
	int length = snprintf(folder, sizeof(folder), "%s/rr-warden-proof-XXXXXX",
	    parent != NULL && parent[0] == '/' ? parent : "/tmp");
	enum pmu_proof proof;

	why[0] = '\0';
	if (length >= (int)sizeof(folder) || mkdtemp(folder) == NULL)
		return PMU_PROOF_OPEN;
	proof = prove_in(folder, choice, softpmu, seconds, why, size);
	nftw(folder, remove_entry, DEPTH_MAX, FTW_DEPTH | FTW_PHYS);
	return proof;
}
