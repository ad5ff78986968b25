/*
 * The choice of performance counters: which facts lead to which choice, what rr is told, and that
 * every refusal names its remedy.
 */
#include "sandbox/pmu/pmu.h"
#include "tests/runner.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static struct pmu_choice choice;

/* A machine where everything works: Linux 6.12, rr 5.9.0, counters. */
static struct pmu_facts good_machine(void)
{
	return (struct pmu_facts){
	    .x86_64 = true,
	    .rr_found = true,
	    .rr_answers = true,
	    .rr_version = PMU_RR_VERSION(5, 9, 0),
	    .ptrace_allowed = true,
	    .event_since = PMU_RR_VERSION(5, 6, 0),
	    .counter = PMU_COUNTER_WORKS,
	    .switches_counted = true,
	    .switches_counted_by_all = true,
	    .own_events = true,
	    .calls_dispatched = true,
	};
}

static int decide(enum pmu_mode mode, const struct pmu_facts *facts)
{
	memset(&choice, 0x55, sizeof(choice));
	return pmu_decide(mode, facts, &choice);
}

START_TEST(working_counters_are_used)
{
	struct pmu_facts facts = good_machine();
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_int_eq(choice.kind, PMU_HARDWARE);
	ck_assert(!choice.no_syscall_buffer);
	ck_assert_str_eq(choice.warning, "");
}
END_TEST

START_TEST(without_counters_auto_takes_the_software_pmu)
{
	static const enum pmu_counter bad[] = {
	    PMU_COUNTER_DENIED, PMU_COUNTER_MISSING, PMU_COUNTER_MISCOUNTS};
	struct pmu_facts facts = good_machine();
	facts.counter = bad[_i];
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_int_eq(choice.kind, PMU_SOFTWARE);
	ck_assert_str_ne(choice.why, "");
}
END_TEST

START_TEST(without_counters_hardware_mode_is_refused_with_the_way_out)
{
	struct pmu_facts facts = good_machine();
	facts.counter = PMU_COUNTER_MISSING;
	ck_assert_int_eq(decide(PMU_MODE_HARDWARE, &facts), -1);
	ck_assert_ptr_nonnull(strstr(choice.error, "--pmu=auto"));
}
END_TEST

static const struct {
	enum pmu_cores cores;
	enum pmu_kind kind; /* what auto takes */
	const char *why;
	int hardware; /* what asking for hardware counters gives */
} cores[] = {
    {PMU_CORES_MIXED, PMU_SOFTWARE, "taskset", -1},
    {PMU_CORES_KEPT, PMU_HARDWARE, "cores of one kind", 0},
};

START_TEST(counters_are_used_only_where_rr_can_be_kept_on_cores_of_one_kind)
{
	struct pmu_facts facts = good_machine();
	facts.cores = cores[_i].cores;
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_int_eq(choice.kind, cores[_i].kind);
	ck_assert_ptr_nonnull(strstr(choice.why, cores[_i].why));
	ck_assert_int_eq(decide(PMU_MODE_HARDWARE, &facts), cores[_i].hardware);
}
END_TEST

/* A processor whose first core is of another kind than the rest. */
static int first_core;

static unsigned kind_of_core(void)
{
	return sched_getcpu() == first_core ? PMU_CORE_PERFORMANCE / 2 : PMU_CORE_PERFORMANCE;
}

START_TEST(on_a_processor_with_cores_of_two_kinds_the_thread_stays_on_performance_cores)
{
	cpu_set_t all, before, kept;
	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	for (first_core = 0; !CPU_ISSET(first_core, &all);)
		first_core++;

	ck_assert_int_eq(pmu_cores_keep(kind_of_core, &before), PMU_CORES_KEPT);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(kept), &kept), 0);
	ck_assert(CPU_EQUAL(&before, &all));
	/* A machine with one core has only that one to stay on. */
	if (CPU_COUNT(&all) > 1)
		CPU_CLR(first_core, &all);
	ck_assert(CPU_EQUAL(&kept, &all));
}
END_TEST

static unsigned no_kind(void)
{
	return 0;
}

START_TEST(where_all_cores_are_alike_the_thread_may_use_all_of_them)
{
	cpu_set_t all, before, kept;
	ck_assert_int_eq(sched_getaffinity(0, sizeof(all), &all), 0);
	ck_assert_int_eq(pmu_cores_keep(no_kind, &before), PMU_CORES_ALIKE);
	ck_assert_int_eq(sched_getaffinity(0, sizeof(kept), &kept), 0);
	ck_assert(CPU_EQUAL(&kept, &all));
}
END_TEST

START_TEST(software_mode_ignores_working_counters)
{
	struct pmu_facts facts = good_machine();
	ck_assert_int_eq(decide(PMU_MODE_SOFTWARE, &facts), 0);
	ck_assert_int_eq(choice.kind, PMU_SOFTWARE);
}
END_TEST

START_TEST(an_rr_with_its_own_software_counters_uses_them)
{
	struct pmu_facts facts = good_machine();
	facts.rr_own_software = true;
	facts.counter = PMU_COUNTER_MISSING;
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_int_eq(choice.kind, PMU_RR_SOFTWARE);
	facts.counter = PMU_COUNTER_WORKS;
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_int_eq(choice.kind, PMU_HARDWARE);
}
END_TEST

START_TEST(an_rr_too_old_for_the_processor_does_not_get_its_counters)
{
	struct pmu_facts facts = good_machine();
	facts.rr_version = PMU_RR_VERSION(5, 6, 0);
	facts.event_since = PMU_RR_VERSION(5, 7, 0);
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_int_eq(choice.kind, PMU_SOFTWARE);
	ck_assert_ptr_nonnull(strstr(choice.why, "newer rr"));
}
END_TEST

START_TEST(rr_that_is_older_than_linux_gets_the_library_even_with_hardware)
{
	struct pmu_facts facts = good_machine();
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_int_eq(choice.kind, PMU_HARDWARE);
	ck_assert(choice.carry_only);
	facts.rr_version = PMU_RR_VERSION(5, 10, 0);
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert(!choice.carry_only);
}
END_TEST

START_TEST(what_is_carried_is_named_for_the_version)
{
	char text[PMU_CARRIED_MAX];
	pmu_carried(PMU_RR_VERSION(5, 6, 0), text, sizeof(text));
	ck_assert_uint_lt(strlen(text), sizeof(text) - 1);
	ck_assert_ptr_nonnull(strstr(text, "[vvar_vclock], MADV_GUARD_INSTALL"));
	ck_assert_ptr_nonnull(strstr(text, "openat2"));
	pmu_carried(PMU_RR_VERSION(5, 9, 0), text, sizeof(text));
	ck_assert_ptr_null(strstr(text, "[vvar_vclock]"));
	ck_assert_ptr_nonnull(strstr(text, "MADV_GUARD_INSTALL"));
	ck_assert_ptr_null(strstr(text, "openat2"));
}
END_TEST

START_TEST(a_user_who_may_not_count_switches_records_without_syscall_buffer)
{
	struct pmu_facts facts = good_machine();
	facts.switches_counted = false;
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_msg(!choice.no_syscall_buffer, "rr 5.9 records switches in another way");
	facts.rr_version = PMU_RR_VERSION(5, 6, 0);
	ck_assert_int_eq(decide(PMU_MODE_SOFTWARE, &facts), 0);
	ck_assert(choice.no_syscall_buffer);
}
END_TEST

/* A child that root starts as another user may not count them. */
START_TEST(where_only_root_may_count_switches_the_software_pmu_records_without_syscall_buffer)
{
	struct pmu_facts facts = good_machine();
	facts.switches_counted_by_all = false;
	ck_assert_int_eq(decide(PMU_MODE_SOFTWARE, &facts), 0);
	ck_assert_msg(!choice.no_syscall_buffer, "rr 5.9 records switches in another way");
	facts.rr_version = PMU_RR_VERSION(5, 6, 0);
	ck_assert_int_eq(decide(PMU_MODE_SOFTWARE, &facts), 0);
	ck_assert(choice.no_syscall_buffer);
	ck_assert_int_eq(decide(PMU_MODE_HARDWARE, &facts), 0);
	ck_assert_msg(!choice.no_syscall_buffer, "the price is higher than the use");
}
END_TEST

START_TEST(where_all_events_are_forbidden_rr_5_9_records_without_syscall_buffer_too)
{
	struct pmu_facts facts = good_machine();
	facts.switches_counted = facts.own_events = false;
	ck_assert_int_eq(decide(PMU_MODE_SOFTWARE, &facts), 0);
	ck_assert(choice.no_syscall_buffer);
}
END_TEST

/* rr approaches a moment in single steps, from as far before it as the processor may skid. */
START_TEST(the_software_pmu_is_a_processor_of_short_skid_unless_its_checks_cannot_be_answered)
{
	static const struct {
		bool own_events, calls_dispatched;
		const char *processor;
	} cases[] = {{true, true, "Intel Skylake"}, {true, false, "Intel Skylake"},
	    {false, true, "Intel Skylake"}, {false, false, "AMD Zen"}};
	struct pmu_facts facts = good_machine();
	facts.own_events = cases[_i].own_events;
	facts.calls_dispatched = cases[_i].calls_dispatched;
	ck_assert_int_eq(decide(PMU_MODE_SOFTWARE, &facts), 0);
	ck_assert_str_eq(pmu_rr_options(&choice)[0], "-A");
	ck_assert_str_eq(pmu_rr_options(&choice)[1], cases[_i].processor);
}
END_TEST

START_TEST(zen_that_speculates_on_locks_is_warned_of)
{
	struct pmu_facts facts = good_machine();
	facts.speculates_on_locks = true;
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), 0);
	ck_assert_ptr_nonnull(strstr(choice.warning, "wiki/Zen"));
}
END_TEST

START_TEST(what_forbids_rr_is_refused_in_one_line)
{
	static const char *const expected[] = {
	    "apt install rr", "really rr", "too old", "ptrace_scope", "ulimit -u", "very busy"};
	struct pmu_facts facts = good_machine();
	switch (_i) {
	case 0:
		facts.rr_found = false;
		break;
	case 1:
		facts.rr_answers = false;
		break;
	case 2:
		facts.rr_version = PMU_RR_VERSION(5, 5, 0);
		break;
	case 3:
		facts.ptrace_allowed = false;
		break;
	case 4:
		facts.no_process = true;
		facts.rr_answers = facts.ptrace_allowed = false;
		break;
	case 5: /* all of its text except the end: half a text does not count */
		facts.rr_late = true;
		break;
	}
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), -1);
	ck_assert_ptr_nonnull(strstr(choice.error, expected[_i]));
	ck_assert_ptr_null(strchr(choice.error, '\n'));
}
END_TEST

START_TEST(other_processors_without_counters_are_refused)
{
	struct pmu_facts facts = good_machine();
	facts.x86_64 = false;
	facts.event_since = 0;
	ck_assert_int_eq(decide(PMU_MODE_AUTO, &facts), -1);
	ck_assert_ptr_nonnull(strstr(choice.error, "x86-64"));
}
END_TEST

START_TEST(the_version_is_read_from_help)
{
	static const struct {
		const char *text;
		bool answers, own;
		unsigned version;
	} rows[] = {
	    {"rr version 5.6.0\n\nUsage:\n", true, false, PMU_RR_VERSION(5, 6, 0)},
	    {"rr version 5.9.0 (1a2b3c)\n  -W --software-counters  Use\n", true, true, 50900},
	    {"rr version 6.0\n", true, false, 60000},
	    {"rr version 5.999999999999999.1\n", true, false, 59901},
	    {"Usage: rr [options] hosts", false, false, 0},
	    {"", false, false, 0},
	};
	struct pmu_facts facts = {0};
	pmu_read_rr_help(rows[_i].text, &facts);
	ck_assert(facts.rr_answers == rows[_i].answers);
	ck_assert(facts.rr_own_software == rows[_i].own);
	ck_assert_uint_eq(facts.rr_version, rows[_i].version);
}
END_TEST

START_TEST(processors_have_the_event_that_rr_uses)
{
	static const struct {
		struct pmu_processor processor;
		uint64_t config;
		unsigned since;
	} rows[] = {
	    {{PMU_AMD, 0x00f10, 0xa}, 0x5100d1, 50600},
	    {{PMU_AMD, 0x60f10, 0xa}, 0x5100d1, 50700},
	    {{PMU_INTEL, 0x506e0, 0}, 0x5101c4, 50600},
	    {{PMU_INTEL, 0x806f0, 0}, 0x5111c4, 50700},
	    {{PMU_INTEL, 0xc0660, 0}, 0x100005111c4, 50900},
	    {{PMU_INTEL, 0x30670, 0}, 0x517ec4, 50600},
	};
	const struct pmu_event *event = pmu_event_of(&rows[_i].processor);
	ck_assert_ptr_nonnull(event);
	ck_assert_uint_eq(event->config, rows[_i].config);
	ck_assert_uint_eq(event->rr_since, rows[_i].since);
}
END_TEST

START_TEST(an_unknown_processor_has_no_event)
{
	struct pmu_processor unknown = {PMU_AMD, 0xff0f0, 0xf};
	ck_assert_ptr_null(pmu_event_of(&unknown));
	unknown = (struct pmu_processor){PMU_OTHER, 0, 0};
	ck_assert_ptr_null(pmu_event_of(&unknown));
}
END_TEST

/* The value of a variable in an environment, or NULL. */
static const char *value_of(char **environment, const char *name)
{
	size_t length = strlen(name);
	for (size_t i = 0; environment[i] != NULL; i++)
		if (strncmp(environment[i], name, length) == 0 && environment[i][length] == '=')
			return environment[i] + length + 1;
	return NULL;
}

static char library[] = "/tmp/test-pmu-XXXXXX";

static void make_library(void)
{
	int fd = mkstemp(library);
	ck_assert_int_ge(fd, 0);
	close(fd);
}

static void remove_library(void)
{
	unlink(library);
	strlcpy(library, "/tmp/test-pmu-XXXXXX", sizeof(library));
}

START_TEST(hardware_leaves_the_environment_alone)
{
	char *base[] = {"HOME=/", "LD_PRELOAD=/x.so", NULL};
	struct pmu_choice hardware = {.kind = PMU_HARDWARE};
	char **environment = pmu_rr_environment(&hardware, "", base);
	ck_assert_ptr_nonnull(environment);
	ck_assert_str_eq(value_of(environment, "LD_PRELOAD"), "/x.so");
	ck_assert_ptr_null(value_of(environment, "RR_WARDEN_SOFTPMU"));
	ck_assert_ptr_null(pmu_rr_options(&hardware)[0]);
	pmu_environment_free(environment);
}
END_TEST

/* What rr's environment is made of; rows of names and values. */
#define expect_environment(choice, base, ...)                                                      \
	expect_environment_of(choice, base, (const char *const[][2]){__VA_ARGS__, {NULL, NULL}})

static void expect_environment_of(
    struct pmu_choice which, char **base, const char *const (*rows)[2])
{
	char **environment = pmu_rr_environment(&which, library, base);

	ck_assert_ptr_nonnull(environment);
	for (; (*rows)[0]; rows++)
		ck_assert_str_eq(value_of(environment, (*rows)[0]), (*rows)[1]);
	pmu_environment_free(environment);
}

START_TEST(the_library_goes_before_what_was_preloaded)
{
	char *base[] = {"LD_PRELOAD=/x.so", "LD_PRELOAD_NOT=1", "HOME=/", NULL};
	struct pmu_choice software = {.kind = PMU_SOFTWARE};
	char expected[64];

	snprintf(expected, sizeof(expected), "%s:/x.so", library);
	expect_environment(
	    software, base, {"LD_PRELOAD", expected}, {"LD_PRELOAD_NOT", "1"}, {"HOME", "/"});
}
END_TEST

START_TEST(hardware_with_an_old_rr_loads_the_library_to_carry_it_only)
{
	char *base[] = {"RR_WARDEN_SOFTPMU=step", NULL};
	struct pmu_choice old = {
	    .kind = PMU_HARDWARE, .rr_version = PMU_RR_VERSION(5, 6, 0), .carry_only = true};

	expect_environment(old, base, {"LD_PRELOAD", library}, {"RR_WARDEN_SOFTPMU", "carry"},
	    {"RR_WARDEN_RR_VERSION", "50600"});
}
END_TEST

START_TEST(a_path_with_a_space_is_preloaded_by_name_out_of_its_folder)
{
	char *base[] = {"LD_LIBRARY_PATH=/lib x", "LD_PRELOAD=/x.so", NULL};
	char folder[] = "/tmp/test pmu XXXXXX", path[64], expected[64];
	struct pmu_choice software = {.kind = PMU_SOFTWARE};
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(path, sizeof(path), "%s/softpmu.so", folder);
	close(open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
	char **environment = pmu_rr_environment(&software, path, base);
	unlink(path);
	rmdir(folder);
	ck_assert_ptr_nonnull(environment);
	snprintf(expected, sizeof(expected), "%s:/lib x", folder);
	ck_assert_str_eq(value_of(environment, "LD_LIBRARY_PATH"), expected);
	ck_assert_str_eq(value_of(environment, "LD_PRELOAD"), "softpmu.so:/x.so");
	pmu_environment_free(environment);
}
END_TEST

START_TEST(a_path_that_the_loader_would_split_is_refused)
{
	static const char *const paths[] = {"/a;b/softpmu.so", "/a:b/softpmu.so", "x.so"};
	char *base[] = {NULL};
	struct pmu_choice software = {.kind = PMU_SOFTWARE};
	errno = 0;
	ck_assert_ptr_null(pmu_rr_environment(&software, paths[_i], base));
	ck_assert_int_eq(errno, EINVAL);
}
END_TEST

START_TEST(a_missing_library_is_an_error_and_not_a_silent_rr)
{
	char *base[] = {NULL};
	struct pmu_choice software = {.kind = PMU_SOFTWARE};
	errno = 0;
	ck_assert_ptr_null(pmu_rr_environment(&software, "/nowhere/softpmu.so", base));
	ck_assert_int_eq(errno, ENOENT);
}
END_TEST

/* Puts a shell script, which serves as rr, in the library's place. */
static void write_rr(const char *script)
{
	FILE *file = fopen(library, "w");
	ck_assert_ptr_nonnull(file);
	fputs(script, file);
	fclose(file);
	ck_assert_int_eq(chmod(library, 0700), 0);
}

START_TEST(rr_is_asked_for_its_version)
{
	write_rr("#!/bin/sh\necho rr version 5.9.0; echo ' --software-counters' >&2; exit 1\n");
	ck_assert_int_eq(pmu_choose(PMU_MODE_SOFTWARE, library, 0, &choice), 0);
	ck_assert_uint_eq(choice.rr_version, PMU_RR_VERSION(5, 9, 0));
	ck_assert_int_eq(choice.kind, PMU_RR_SOFTWARE);
	ck_assert_str_eq(choice.rr_path, library);
}
END_TEST

START_TEST(a_program_that_is_not_rr_is_refused)
{
	write_rr("#!/bin/sh\nhead -c 100000 /dev/zero\n");
	ck_assert_int_eq(pmu_choose(PMU_MODE_AUTO, library, 0, &choice), -1);
	ck_assert_ptr_nonnull(strstr(choice.error, "really rr"));
}
END_TEST

/* A busy machine is no reason to doubt that it is rr. */
START_TEST(an_rr_that_does_not_answer_in_time_is_not_doubted)
{
	write_rr("#!/bin/sh\necho rr version 5.9.0\nexec sleep 600\n");
	ck_assert_int_eq(pmu_choose(PMU_MODE_AUTO, library, 0.5, &choice), -1);
	ck_assert_ptr_nonnull(strstr(choice.error, "`rr help` did not end in time"));
	ck_assert_ptr_nonnull(strstr(choice.error, "call again"));
	ck_assert_ptr_null(strstr(choice.error, "really rr"));
}
END_TEST

START_TEST(a_missing_rr_is_refused)
{
	ck_assert_int_eq(pmu_choose(PMU_MODE_AUTO, "/nowhere/rr", 0, &choice), -1);
	ck_assert_ptr_nonnull(strstr(choice.error, "not found"));
}
END_TEST

static Suite *pmu_suite(void)
{
	Suite *suite = suite_create("pmu");
	TCase *decision = tcase_create("decision");
	tcase_add_test(decision, working_counters_are_used);
	tcase_add_loop_test(decision, without_counters_auto_takes_the_software_pmu, 0, 3);
	tcase_add_test(decision, without_counters_hardware_mode_is_refused_with_the_way_out);
	tcase_add_loop_test(decision,
	    counters_are_used_only_where_rr_can_be_kept_on_cores_of_one_kind, 0, TIMES(cores));
	tcase_add_test(
	    decision, on_a_processor_with_cores_of_two_kinds_the_thread_stays_on_performance_cores);
	tcase_add_test(decision, where_all_cores_are_alike_the_thread_may_use_all_of_them);
	tcase_add_test(decision, software_mode_ignores_working_counters);
	tcase_add_test(decision, an_rr_with_its_own_software_counters_uses_them);
	tcase_add_test(decision, an_rr_too_old_for_the_processor_does_not_get_its_counters);
	tcase_add_test(decision, rr_that_is_older_than_linux_gets_the_library_even_with_hardware);
	tcase_add_test(decision, what_is_carried_is_named_for_the_version);
	tcase_add_test(decision, a_user_who_may_not_count_switches_records_without_syscall_buffer);
	tcase_add_test(decision,
	    where_only_root_may_count_switches_the_software_pmu_records_without_syscall_buffer);
	tcase_add_test(
	    decision, where_all_events_are_forbidden_rr_5_9_records_without_syscall_buffer_too);
	tcase_add_loop_test(decision,
	    the_software_pmu_is_a_processor_of_short_skid_unless_its_checks_cannot_be_answered, 0,
	    4);
	tcase_add_test(decision, zen_that_speculates_on_locks_is_warned_of);
	tcase_add_loop_test(decision, what_forbids_rr_is_refused_in_one_line, 0, 6);
	tcase_add_test(decision, other_processors_without_counters_are_refused);
	tcase_add_loop_test(decision, the_version_is_read_from_help, 0, 6);
	tcase_add_loop_test(decision, processors_have_the_event_that_rr_uses, 0, 6);
	tcase_add_test(decision, an_unknown_processor_has_no_event);
	suite_add_tcase(suite, decision);

	TCase *start = tcase_create("start");
	tcase_add_unchecked_fixture(start, make_library, remove_library);
	tcase_add_test(start, hardware_leaves_the_environment_alone);
	tcase_add_test(start, the_library_goes_before_what_was_preloaded);
	tcase_add_test(start, hardware_with_an_old_rr_loads_the_library_to_carry_it_only);
	tcase_add_test(start, a_path_with_a_space_is_preloaded_by_name_out_of_its_folder);
	tcase_add_loop_test(start, a_path_that_the_loader_would_split_is_refused, 0, 3);
	tcase_add_test(start, a_missing_library_is_an_error_and_not_a_silent_rr);
	tcase_add_test(start, rr_is_asked_for_its_version);
	tcase_add_test(start, a_program_that_is_not_rr_is_refused);
	tcase_add_test(start, an_rr_that_does_not_answer_in_time_is_not_doubted);
	tcase_add_test(start, a_missing_rr_is_refused);
	suite_add_tcase(suite, start);
	return suite;
}

int main(void)
{
	return run_suite(pmu_suite());
}
