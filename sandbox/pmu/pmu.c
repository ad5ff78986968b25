/*
 * Decides which performance counters rr uses, from the facts that pmu_probe found, and turns the
 * choice into options and environment for rr. Must never start anything itself.
 */
#include "sandbox/pmu/pmu.h"

#include "sandbox/cleanup.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The oldest rr that was tried, the first without the [vvar_vclock] fault, the first whose syscall
 * buffer can do without counting context switches, the first that may know all of newer_calls.def
 * (not released by the end of 2026). */
#define RR_OLDEST	    PMU_RR_VERSION(5, 6, 0)
#define RR_KNOWS_VVAR	    PMU_RR_VERSION(5, 9, 0)
#define RR_RECORDS_SWITCHES PMU_RR_VERSION(5, 9, 0)
#define RR_KNOWS_LINUX	    PMU_RR_VERSION(5, 10, 0)

/* The variable that chooses what softpmu.so does. */
#define SOFTPMU_VARIABLE "RR_WARDEN_SOFTPMU"
/* rr's version. softpmu.so refuses the system calls that this rr does not know. */
#define VERSION_VARIABLE "RR_WARDEN_RR_VERSION"

static const char *const mode_names[] = {"auto", "hardware", "software"};

int pmu_mode_from_name(const char *name)
{
	for (int mode = PMU_MODE_AUTO; mode <= PMU_MODE_SOFTWARE; mode++)
		if (strcmp(name, mode_names[mode]) == 0)
			return mode;
	return -1;
}

const char *pmu_kind_name(enum pmu_kind kind)
{
	switch (kind) {
	case PMU_HARDWARE:
		return "hardware";
	case PMU_RR_SOFTWARE:
		return "rr-software";
	case PMU_SOFTWARE:
		return "software";
	}
	return "unknown";
}

#define VERSION_FORMAT	 "%u.%u.%u"
#define VERSION_PARTS(v) (v) / 10000, (v) / 100 % 100, (v) % 100

/* Whether something rules out every choice. If so, fills out->error. */
static bool refuse(const struct pmu_facts *facts, struct pmu_choice *out)
{
	const char *why = NULL;
	if (!facts->rr_found)
		why = "rr was not found: install it (apt install rr), or give its path with "
		      "--rr=PATH";
	else if (facts->no_process)
		why = "no process could be started to ask rr for its version: end some processes, "
		      "or raise `ulimit -u` and --processes";
	else if (facts->rr_late)
		why = "`rr help` did not end in time: the machine is very busy, or rr hangs; call "
		      "again, and if that does not help, run `rr help` in a terminal";
	else if (!facts->rr_answers)
		why = "`rr help` did not print a version: is --rr=PATH really rr?";
	else if (!facts->ptrace_allowed)
		why = "rr needs ptrace, which is not allowed here: set kernel.yama.ptrace_scope to "
		      "1 or less, or run the container with --cap-add=SYS_PTRACE";
	if (why != NULL) {
		strlcpy(out->error, why, sizeof(out->error));
		return true;
	}
	if (facts->rr_version < RR_OLDEST) {
		snprintf(out->error, sizeof(out->error),
		    "rr " VERSION_FORMAT " is too old: rr-warden needs 5.6.0 or later",
		    VERSION_PARTS(facts->rr_version));
		return true;
	}
	return false;
}

/* Why the hardware cannot be used, with the fix, or NULL if it can. */
static const char *hardware_obstacle(const struct pmu_facts *facts)
{
	if (facts->event_since == 0)
		return "rr does not know this processor's counters";
	if (facts->cores == PMU_CORES_MIXED)
		return "the processor has cores of two kinds, and rr cannot be kept on one kind "
		       "(start the server on one: taskset -c CORES)";
	switch (facts->counter) {
	case PMU_COUNTER_DENIED:
		return "the kernel denies the processor's counters to this user (allow them: "
		       "sysctl "
		       "kernel.perf_event_paranoid=1, or CAP_PERFMON)";
	case PMU_COUNTER_MISSING:
		return "this machine has no performance counters (usual in virtual machines)";
	case PMU_COUNTER_MISCOUNTS:
		return "the processor's branch counter counts wrongly here";
	case PMU_COUNTER_WORKS:
		break;
	}
	if (facts->rr_version < facts->event_since)
		return "the counters work, but this rr does not know the processor (install a "
		       "newer rr)";
	return NULL;
}

static void use_hardware(const struct pmu_facts *facts, struct pmu_choice *out)
{
	out->kind = PMU_HARDWARE;
	out->carry_only = facts->x86_64 && facts->rr_version < RR_KNOWS_LINUX;
	snprintf(out->why, sizeof(out->why),
	    "the processor's counter of conditional branches works%s",
	    facts->cores == PMU_CORES_KEPT ? "; rr stays on cores of one kind" : "");
	if (facts->speculates_on_locks)
		strlcpy(out->warning,
		    "this AMD processor speculates on locks, which makes replays diverge: apply "
		    "the workaround of https://github.com/rr-debugger/rr/wiki/Zen",
		    sizeof(out->warning));
}

static int use_software(const struct pmu_facts *facts, struct pmu_choice *out)
{
	if (facts->rr_own_software) {
		out->kind = PMU_RR_SOFTWARE;
		return 0;
	}
	if (!facts->x86_64) {
		strlcpy(out->error,
		    "the software counter works only for x86-64 code, and this machine has no "
		    "other usable counter: use a machine whose counters rr knows, or an rr with -W "
		    "(rr.soft)",
		    sizeof(out->error));
		return -1;
	}
	out->kind = PMU_SOFTWARE;
	/*
	 * rr's buffer makes its counter in the program, with the rights of that moment, and aborts
	 * the program if it may not (rr 5.6, preload/syscallbuf.c, open_desched_event_counter).
	 */
	out->no_syscall_buffer |=
	    !facts->switches_counted_by_all && facts->rr_version < RR_RECORDS_SWITCHES;
	out->short_skid = facts->own_events || facts->calls_dispatched;
	return 0;
}

int pmu_decide(enum pmu_mode mode, const struct pmu_facts *facts, struct pmu_choice *out)
{
	out->why[0] = out->warning[0] = out->error[0] = '\0';
	out->carry_only = out->short_skid = false;
	out->rr_version = facts->rr_version;
	if (refuse(facts, out))
		return -1;
	out->no_syscall_buffer = !facts->switches_counted &&
				 (facts->rr_version < RR_RECORDS_SWITCHES || !facts->own_events);
	const char *obstacle = hardware_obstacle(facts);
	if (mode == PMU_MODE_SOFTWARE) {
		strlcpy(out->why, "asked for", sizeof(out->why));
		return use_software(facts, out);
	}
	if (obstacle == NULL) {
		use_hardware(facts, out);
		return 0;
	}
	if (mode == PMU_MODE_HARDWARE) {
		snprintf(out->error, sizeof(out->error),
		    "%s; --pmu=auto or --pmu=software works without it", obstacle);
		return -1;
	}
	strlcpy(out->why, obstacle, sizeof(out->why));
	return use_software(facts, out);
}

static const struct {
	unsigned since;
	const char *name;
} newer[] = {
    {RR_KNOWS_VVAR, "[vvar_vclock]"},
#define NEWER_CALLS(first, last, since, loud, name)			      {since, name},
#define NEWER_VALUES(number, argument, first, last, error, since, loud, name) {since, name},
#include "sandbox/pmu/newer_calls.def"
#undef NEWER_CALLS
#undef NEWER_VALUES
};

void pmu_carried(unsigned rr_version, char *text, size_t size)
{
	text[0] = '\0';
	for (size_t i = 0; i < sizeof(newer) / sizeof(newer[0]); i++) {
		if (newer[i].since != 0 && rr_version >= newer[i].since)
			continue;
		if (text[0] != '\0')
			strlcat(text, ", ", size);
		strlcat(text, newer[i].name, size);
	}
}

int pmu_choose(enum pmu_mode mode, const char *rr, double startup, struct pmu_choice *out)
{
	bool is_less = startup > 0 && startup < PMU_PATIENCE_SECONDS;
	struct pmu_facts facts;
	*out = (struct pmu_choice){.kind = PMU_HARDWARE};
	pmu_probe(rr, is_less ? startup : PMU_PATIENCE_SECONDS, &facts, out->rr_path);
	int result = pmu_decide(mode, &facts, out);
	if (facts.cores == PMU_CORES_KEPT && (result != 0 || out->kind != PMU_HARDWARE))
		sched_setaffinity(0, sizeof(facts.cores_before), &facts.cores_before);
	return result;
}

const char *const *pmu_rr_options(const struct pmu_choice *choice)
{
	static const char *const none[] = {NULL};
	static const char *const own_software[] = {"-W", NULL};
	/*
	 * rr is told one of these whatever the processor is, because it refuses a processor that
	 * it does not know. rr goes the last stretch to a moment in single steps, and the stretch
	 * is as long as the skid that it expects of the processor: 10000 branches on Zen. Its
	 * start-up checks for Intel make system calls on the counter that no interposed symbol
	 * sees.
	 */
	static const char *const zen[] = {"-A", "AMD Zen", NULL};
	static const char *const skylake[] = {"-A", "Intel Skylake", NULL};
	switch (choice->kind) {
	case PMU_HARDWARE:
		return none;
	case PMU_RR_SOFTWARE:
		return own_software;
	case PMU_SOFTWARE:
		return choice->short_skid ? skylake : zen;
	}
	return none;
}

void pmu_environment_free(char **environment)
{
	for (size_t i = 0; environment != NULL && environment[i] != NULL; i++)
		free(environment[i]);
	free(environment);
}

static bool names_variable(const char *entry, const char *name)
{
	size_t length = strlen(name);
	return strncmp(entry, name, length) == 0 && entry[length] == '=';
}

/* "NAME=FIRST", followed by a colon and the value in base, if any. NULL with errno. */
static char *list_entry(const char *name, const char *first, size_t length, char *const base[])
{
	const char *before = "";
	char *entry = NULL;
	for (size_t i = 0; base[i] != NULL; i++)
		if (names_variable(base[i], name))
			before = base[i] + strlen(name) + 1;
	if (asprintf(
		&entry, "%s=%.*s%s%s", name, (int)length, first, before[0] ? ":" : "", before) < 0)
		return NULL;
	return entry;
}

/*
 * A space ends a path in LD_PRELOAD, but not in LD_LIBRARY_PATH: such a library is preloaded by its
 * name alone, out of the folder that is searched first. The library takes both out again when it is
 * loaded, so that the program gets the environment that the user gave.
 */
static bool is_preloaded_by_name(const char *softpmu)
{
	return strchr(softpmu, ' ') != NULL;
}

static bool add_preload(char **all, size_t *used, const char *softpmu, char *const base[])
{
	const char *name = strrchr(softpmu, '/') + 1;
	if (!is_preloaded_by_name(softpmu))
		name = softpmu;
	else if ((all[(*used)++] = list_entry(
		      "LD_LIBRARY_PATH", softpmu, (size_t)(name - 1 - softpmu), base)) == NULL)
		return false;
	return (all[(*used)++] = list_entry("LD_PRELOAD", name, strlen(name), base)) != NULL;
}

char **pmu_rr_environment(const struct pmu_choice *choice, const char *softpmu, char *const base[])
{
	bool preload = choice->kind == PMU_SOFTWARE || choice->carry_only;
	size_t count = 0, used = 0;
	bool complete = true;
	if (preload && (softpmu[0] != '/' || strpbrk(softpmu, ":;") != NULL))
		return errno = EINVAL, NULL;
	if (preload && access(softpmu, R_OK) != 0)
		return NULL;
	while (base[count] != NULL)
		count++;
	char **all = calloc(count + 5, sizeof(*all));
	if (all == NULL)
		return NULL;
	for (size_t i = 0; i < count && complete; i++) {
		if (preload && names_variable(base[i], "LD_PRELOAD"))
			continue;
		if (preload && is_preloaded_by_name(softpmu) &&
		    names_variable(base[i], "LD_LIBRARY_PATH"))
			continue;
		if (choice->carry_only && names_variable(base[i], SOFTPMU_VARIABLE))
			continue;
		if (preload && names_variable(base[i], VERSION_VARIABLE))
			continue;
		complete = (all[used++] = strdup(base[i])) != NULL;
	}
	if (preload && complete)
		complete = add_preload(all, &used, softpmu, base);
	if (preload && complete)
		complete = asprintf(&all[used++], VERSION_VARIABLE "=%u", choice->rr_version) > 0;
	if (choice->carry_only && complete)
		complete = (all[used++] = strdup(SOFTPMU_VARIABLE "=carry")) != NULL;
	if (!complete) {
		pmu_environment_free(all);
		return errno = ENOMEM, NULL;
	}
	return all;
}
