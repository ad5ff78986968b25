/*
 * `rr-warden rr`: the arguments that rr gets, where it looks for the library, when it needs gdb.
 */
#include "supervisor/commands/rr_command.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "tests/runner.h"

#define WORDS_MAX 16

/* The arguments that rr gets for a command line, joined. */
static void check_arguments(const struct pmu_choice *choice, const char *line, const char *expected)
{
	char copy[256], joined[256] = "";
	char *words[WORDS_MAX + 1];
	int count = 0;
	strlcpy(copy, line, sizeof(copy));
	for (char *word = strtok(copy, " "); word != NULL && count < WORDS_MAX;
	     word = strtok(NULL, " "))
		words[count++] = word;
	words[count] = NULL;
	const char **all = rr_command_arguments(choice, count, words);
	ck_assert_ptr_nonnull(all);
	for (size_t i = 0; all[i] != NULL; i++) {
		strlcat(joined, i > 0 ? "|" : "", sizeof(joined));
		strlcat(joined, all[i], sizeof(joined));
	}
	free(all);
	ck_assert_str_eq(joined, expected);
}

START_TEST(hardware_passes_the_arguments_through)
{
	struct pmu_choice choice = {.kind = PMU_HARDWARE};
	check_arguments(&choice, "record -h ./a.out -n", "rr|record|-h|./a.out|-n");
	check_arguments(&choice, "", "rr");
}
END_TEST

START_TEST(the_options_of_the_choice_come_first)
{
	struct pmu_choice choice = {.kind = PMU_SOFTWARE};
	check_arguments(&choice, "replay -a", "rr|-A|AMD Zen|replay|-a");
	choice.kind = PMU_RR_SOFTWARE;
	check_arguments(&choice, "replay -a", "rr|-W|replay|-a");
}
END_TEST

START_TEST(a_recording_without_syscall_buffer_gets_n)
{
	static const char *const rows[][2] = {
	    {"record ./a.out -x", "rr|record|-n|./a.out|-x"},
	    {"-S -A zen record a", "rr|-S|-A|zen|record|-n|a"},
	    {"./a.out record", "rr|record|-n|./a.out|record"},
	    {"true", "rr|record|-n|true"},
	    {"replay record", "rr|replay|record"},
	    {"/tmp", "rr|/tmp"},
	    {"ps record", "rr|ps|record"},
	    {"--version", "rr|--version"},
	    {"-A", "rr|-A"},
	};
	struct pmu_choice choice = {.kind = PMU_HARDWARE, .no_syscall_buffer = true};
	check_arguments(&choice, rows[_i][0], rows[_i][1]);
}
END_TEST

START_TEST(the_parts_are_found_beside_bin)
{
	static const char *const rows[][2] = {
	    {"/usr/bin/rr-warden", "/usr/libexec/rr-warden/rr-warden-worker"},
	    {"/src/build/bin/rr-warden", "/src/build/libexec/rr-warden/rr-warden-worker"},
	    {"/bin/rr-warden", "/libexec/rr-warden/rr-warden-worker"},
	};
	struct paths paths = {0};
	strlcpy(paths.program, rows[_i][0], sizeof(paths.program));
	ck_assert_int_eq(paths_find_parts(&paths), 0);
	ck_assert_str_eq(paths.worker, rows[_i][1]);
}
END_TEST

START_TEST(gdb_is_needed_for_interactive_replay_only)
{
	static const struct {
		const char *words[4];
		int wanted;
	} rows[] = {
	    {{"replay", NULL}, 1},
	    {{"replay", "-p", "17", NULL}, 1},
	    {{"/tmp", NULL}, 1},
	    {{"replay", "-a", NULL}, 0},
	    {{"replay", "--autopilot", NULL}, 0},
	    {{"replay", "-s", "1234", NULL}, 0},
	    {{"replay", "-d", "mygdb", NULL}, 0},
	    {{"replay", "--", "-a", NULL}, 1},
	    {{"record", "true", NULL}, 0},
	    {{"ps", NULL}, 0},
	    {{NULL}, 0},
	};
	int count = 0;
	while (rows[_i].words[count] != NULL)
		count++;
	ck_assert_int_eq(
	    rr_command_wants_gdb(count, (char *const *)rows[_i].words), rows[_i].wanted);
}
END_TEST

START_TEST(rrs_port_is_private_unless_the_user_names_it)
{
	static const struct {
		const char *words[5];
		enum rr_port port;
	} rows[] = {{{"replay", NULL}, RR_PORT_PRIVATE},
	    {{"replay", "/tmp", NULL}, RR_PORT_PRIVATE},
	    {{"-M", "replay", "-f", "7", NULL}, RR_PORT_PRIVATE},
	    {{"replay", "--", "-s", NULL}, RR_PORT_PRIVATE}, {{"/tmp", NULL}, RR_PORT_PRIVATE},
	    {{"replay", "-a", NULL}, RR_PORT_NONE}, {{"record", "ls", NULL}, RR_PORT_NONE},
	    {{"ps", NULL}, RR_PORT_NONE}, {{"replay", "-s", "1234", NULL}, RR_PORT_OPEN},
	    {{"replay", "--dbgport=1234", NULL}, RR_PORT_OPEN}};

	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		int count = 0;
		while (rows[i].words[count] != NULL)
			count++;
		ck_assert_int_eq(
		    rr_command_port(count, (char *const *)rows[i].words), rows[i].port);
	}
}
END_TEST

START_TEST(the_rr_of_the_policy_is_the_one)
{
	struct settings *settings = settings_new();
	struct paths paths = {0};
	char *words[] = {"--version", NULL};
	char why[SETTINGS_WHY_MAX];
	ck_assert_int_eq(settings_set(settings, SETTING_RR, "/nowhere/rr", SOURCE_FLAG, why), 0);
	ck_assert_int_eq(rr_command_run(settings, &paths, 1, words), 127);
	settings_free(settings);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {hardware_passes_the_arguments_through, 1},
	    {the_options_of_the_choice_come_first, 1},
	    {a_recording_without_syscall_buffer_gets_n, 9},
	    {the_parts_are_found_beside_bin, 3},
	    {gdb_is_needed_for_interactive_replay_only, 11},
	    {rrs_port_is_private_unless_the_user_names_it, 1},
	    {the_rr_of_the_policy_is_the_one, 1},
	    {NULL, 0},
	};

	return run_loops("rr_command", tests, NULL, NULL);
}
