/*
 * See counter_proof.h. Tries in a process of its own, because the choice of a counter can keep a
 * process on some of the cores.
 */
#include "supervisor/monitor/counter_proof.h"

#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "sandbox/pmu/pmu_proof.h"

/* The supervisor's deadline for a start is 30 s by default, and a busy machine is slow. */
#define PATIENCE_SECONDS 10

struct counter_proof {
	_Atomic int state;	   /* enum pmu_proof; HELD also where there is nothing to prove */
	char why[PMU_MESSAGE_MAX]; /* written before the state */
};

struct counter_proof *counter_proof_new(void)
{
	void *memory = mmap(NULL, sizeof(struct counter_proof), PROT_READ | PROT_WRITE,
	    MAP_SHARED | MAP_ANONYMOUS, -1, 0);

	return memory == MAP_FAILED ? NULL : memory;
}

/* Whether the kernel has a counter at all: takes microseconds. On a processor with cores of two
 * kinds the count may be wrong here, but a counter is there. */
static bool is_counter_there(void)
{
	struct pmu_processor processor;
	const struct pmu_event *event;

	if (!pmu_processor_here(&processor) || (event = pmu_event_of(&processor)) == NULL)
		return false;
	switch (pmu_counter_try(event->config)) {
	case PMU_COUNTER_WORKS:
	case PMU_COUNTER_MISCOUNTS:
		return true;
	case PMU_COUNTER_DENIED:
	case PMU_COUNTER_MISSING:
		break;
	}
	return false;
}

static _Noreturn void prove(
    struct counter_proof *proof, const struct settings *settings, const struct paths *paths)
{
	struct pmu_choice choice;
	char why[PMU_MESSAGE_MAX / 2] = "";
	enum pmu_proof held = PMU_PROOF_HELD;
	double startup = (double)settings_number(settings, SETTING_TIMEOUT_STARTUP);

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	/* As the launcher, it could not be traced, and nor could the child with which it finds out
	 * whether ptrace works. */
	prctl(PR_SET_DUMPABLE, 1);
	if (pmu_choose(PMU_MODE_AUTO, settings_text(settings, SETTING_RR), startup, &choice) != 0)
		_exit(0); /* the worker will say what is missing */
	if (choice.kind == PMU_HARDWARE)
		held = pmu_prove(&choice, paths->softpmu, PATIENCE_SECONDS, why, sizeof(why));
	if (held == PMU_PROOF_FAILED)
		snprintf(proof->why, sizeof(proof->why),
		    "the processor has a counter, but %s (for details: rr-warden --pmu=hardware "
		    "doctor)",
		    why);
	atomic_store(&proof->state, held);
	_exit(0);
}

const char *counter_proof_find(
    struct counter_proof *proof, const struct settings *settings, const struct paths *paths)
{
	if (proof == NULL ||
	    pmu_mode_from_name(settings_text(settings, SETTING_PMU)) != PMU_MODE_AUTO)
		return "";
	if (atomic_load(&proof->state) == PMU_PROOF_OPEN && !is_counter_there())
		atomic_store(&proof->state, PMU_PROOF_HELD);
	if (atomic_load(&proof->state) == PMU_PROOF_OPEN) {
		pid_t pid = fork();
		if (pid == 0)
			prove(proof, settings, paths);
		while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	return atomic_load(&proof->state) == PMU_PROOF_FAILED ? proof->why : "";
}
