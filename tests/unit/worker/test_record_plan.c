/*
 * The checks before rr starts, and how traces are named and listed, on real directories.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "worker/trace/listing.h"
#include "worker/record/plan/claim.h"
#include "worker/record/plan/record_plan.h"
#include "tests/runner.h"

static char base[64]; /* a fresh directory; cwd is in it */
static struct worker worker;
static struct failure failure;
static struct record_plan plan;
static struct destination to;

static void put(const char *path, const char *content, mode_t mode)
{
	int fd = open(path, O_CREAT | O_WRONLY | O_TRUNC, mode);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_ge(write(fd, content, strlen(content)), 0);
	close(fd);
}

static void make_trace(const char *name, const char *mark)
{
	static const char *const files[] = {"events", "data", "mmaps", "tasks"};
	char path[256];

	ck_assert_int_eq(mkdir(name, 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", name, files[i]);
		put(path, "bytes", 0600);
	}
	snprintf(path, sizeof(path), "%s/%s", name, mark);
	put(path, "85\n", 0600);
}

static void enter_base(void)
{
	snprintf(base, sizeof(base), "/tmp/test_plan.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(base));
	ck_assert_int_eq(chdir(base), 0);
	char root[96];
	snprintf(root, sizeof(root), "%s/traces", base);
	setenv("_RR_TRACE_DIR", root, 1);
	ck_assert_int_eq(mkdir("traces", 0700), 0);
	put("program", "#!/bin/sh\n", 0700);
	put("plain", "text", 0600);
	worker = (struct worker){.config = {.rr = (char *)"/nonexistent/rr",
				     .pmu = (char *)"auto",
				     .softpmu = (char *)"",
				     .limits = json_object(),
				     .timeouts = json_object(),
				     .roots = json_array(),
				     .commands = json_array(),
				     .directories = json_array()}};
}

static void leave_base(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

/* Plans a recording with arguments as JSON text, expects a failure, and returns its code. There is
 * no rr, so rr_failed means that all checks passed. */
static enum error_code refused(const char *text)
{
	json_auto_t *args = json_loads(text, 0, NULL);

	ck_assert_ptr_nonnull(args);
	memset(&failure, 0, sizeof(failure));
	ck_assert_ptr_null(op_find(WIRE_OP_RECORD)->handle(&worker, args, &failure));
	return failure.code;
}

START_TEST(a_sound_plan_gets_as_far_as_rr)
{
	ck_assert_int_eq(refused("{\"command\":[\"./program\"]}"), ERROR_RR_FAILED);
}
END_TEST

START_TEST(a_command_must_be_words)
{
	ck_assert_int_eq(refused("{}"), ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(refused("{\"command\":[]}"), ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(refused("{\"command\":[\"\"]}"), ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(refused("{\"command\":[\"./program\",7]}"), ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_program_that_is_not_there_is_not_found)
{
	ck_assert_int_eq(refused("{\"command\":[\"./none\"]}"), ERROR_NOT_FOUND);
	ck_assert_ptr_nonnull(strstr(failure.message, "./none"));
	ck_assert_int_eq(refused("{\"command\":[\"no-such-program-anywhere\"]}"), ERROR_NOT_FOUND);
}
END_TEST

START_TEST(what_may_not_be_executed_is_said_so)
{
	ck_assert_int_eq(refused("{\"command\":[\"./plain\"]}"), ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(failure.message, "./plain"));
	ck_assert_int_eq(refused("{\"command\":[\"./traces\"]}"), ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(failure.message, "directory"));
}
END_TEST

START_TEST(a_program_is_looked_for_in_the_path_it_will_have)
{
	char args[256];

	ck_assert_int_eq(refused("{\"command\":[\"program\"]}"), ERROR_NOT_FOUND);
	snprintf(args, sizeof(args), "{\"command\":[\"program\"],\"env\":{\"PATH\":\"/none:%s\"}}",
	    base);
	ck_assert_int_eq(refused(args), ERROR_RR_FAILED);
}
END_TEST

/* Root may read every directory. */
static void become_ordinary_user(void)
{
	char command[128];

	if (geteuid() != 0)
		return;
	snprintf(command, sizeof(command), "chown -R 65534:65534 '%s'", base);
	ck_assert_int_eq(system(command), 0);
	ck_assert_int_eq(setgid(65534), 0);
	ck_assert_int_eq(setuid(65534), 0);
}

static enum error_code refused_in_path(const char *name, const char *path)
{
	char *args;

	ck_assert_int_ge(
	    asprintf(&args, "{\"command\":[\"%s\"],\"env\":{\"PATH\":\"%s\"}}", name, path), 0);
	enum error_code code = refused(args);
	free(args);
	return code;
}

START_TEST(a_directory_of_the_path_that_may_not_be_read_holds_no_program)
{
	char path[256];

	become_ordinary_user();
	ck_assert_int_eq(mkdir("private", 0700), 0);
	put("private/program", "#!/bin/sh\n", 0700);
	ck_assert_int_eq(chmod("private", 0), 0);
	snprintf(path, sizeof(path), "%s/private:%s/plain", base, base);
	ck_assert_int_eq(refused_in_path("program", path), ERROR_NOT_FOUND);
	snprintf(path, sizeof(path), "%s/private:%s", base, base);
	ck_assert_int_eq(refused_in_path("program", path), ERROR_RR_FAILED);
	ck_assert_int_eq(refused_in_path("plain", path), ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(chmod("private", 0700), 0);
}
END_TEST

START_TEST(a_directory_of_the_program_s_name_in_the_path_is_passed_over)
{
	char path[256];

	ck_assert_int_eq(mkdir("decoy", 0700), 0);
	ck_assert_int_eq(mkdir("decoy/program", 0700), 0);
	snprintf(path, sizeof(path), "%s/decoy", base);
	ck_assert_int_eq(refused_in_path("program", path), ERROR_NOT_FOUND);
	snprintf(path, sizeof(path), "%s/decoy:%s", base, base);
	ck_assert_int_eq(refused_in_path("program", path), ERROR_RR_FAILED);
}
END_TEST

START_TEST(a_long_path_is_searched_to_its_end)
{
	size_t size = 64 * 1024;
	cleanup_free char *path = malloc(size);

	ck_assert_ptr_nonnull(path);
	memset(path, 'x', 3 * PATH_MAX); /* one entry that is longer than any path may be */
	for (size_t at = 3 * PATH_MAX; at < size - 256; at += 8)
		memcpy(path + at, ":/no/dir", 8);
	path[size - 256] = '\0';
	ck_assert_int_eq(refused_in_path("program", path), ERROR_NOT_FOUND);
	strlcat(path, ":", size);
	strlcat(path, base, size);
	ck_assert_int_eq(refused_in_path("program", path), ERROR_RR_FAILED);
}
END_TEST

START_TEST(a_relative_program_is_looked_for_from_its_directory_on)
{
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"working_directory\":\"/usr\"}"),
	    ERROR_NOT_FOUND);
}
END_TEST

START_TEST(a_directory_that_is_not_there_is_an_error)
{
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"working_directory\":\"/none\"}"),
	    ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(failure.message, "/none"));
}
END_TEST

START_TEST(the_policy_says_where_and_what)
{
	json_array_append_new(worker.config.directories, json_string("/usr"));
	ck_assert_int_eq(refused("{\"command\":[\"./program\"]}"), ERROR_NOT_ALLOWED);
	json_array_clear(worker.config.directories);
	json_array_append_new(worker.config.commands, json_string("/usr/bin/*"));
	ck_assert_int_eq(refused("{\"command\":[\"./program\"]}"), ERROR_NOT_ALLOWED);
	ck_assert_int_eq(refused("{\"command\":[\"/usr/bin/env\"]}"), ERROR_RR_FAILED);
}
END_TEST

START_TEST(a_link_does_not_carry_a_program_past_the_policy)
{
	char pattern[96], link[96];

	snprintf(pattern, sizeof(pattern), "%s/allowed/*", base);
	json_array_append_new(worker.config.commands, json_string(pattern));
	ck_assert_int_eq(mkdir("allowed", 0700), 0);
	snprintf(link, sizeof(link), "%s/program", base);
	ck_assert_int_eq(symlink(link, "allowed/program"), 0);
	ck_assert_int_eq(refused("{\"command\":[\"allowed/program\"]}"), ERROR_NOT_ALLOWED);
}
END_TEST

START_TEST(a_name_that_gdb_cannot_be_told_is_refused_before_it_is_recorded)
{
	put("tab\tprogram", "#!/bin/sh\n", 0700);
	ck_assert_int_eq(refused("{\"command\":[\"./tab\\tprogram\"]}"), ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(failure.message, "gdb"));
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"trace_dir\":\"traces/a\\nb\"}"),
	    ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(failure.hint, "control characters"));
	ck_assert_int_eq(mkdir("latin-\xe9", 0700), 0);
	ck_assert_int_eq(symlink("latin-\xe9", "linked"), 0);
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"trace_dir\":\"linked/t\"}"),
	    ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(failure.hint, "UTF-8"));
}
END_TEST

START_TEST(a_trace_that_exists_is_refused)
{
	make_trace("traces/mine", "version");
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"trace_dir\":\"traces/mine\"}"),
	    ERROR_INVALID_ARGUMENT);
	ck_assert_ptr_nonnull(strstr(failure.message, "exists"));
	ck_assert_int_eq(symlink("/none", "traces/link"), 0);
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"trace_dir\":\"traces/link\"}"),
	    ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(a_trace_goes_nowhere_that_is_not_there_or_not_allowed)
{
	char root[96];

	ck_assert_int_eq(
	    refused("{\"command\":[\"./program\"],\"trace_dir\":\"none/../t\"}"), ERROR_NOT_FOUND);
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"trace_dir\":\"plain/none/t\"}"),
	    ERROR_NOT_FOUND);
	snprintf(root, sizeof(root), "%s/traces", base);
	json_array_append_new(worker.config.roots, json_string(root));
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"trace_dir\":\"elsewhere\"}"),
	    ERROR_NOT_ALLOWED);
	ck_assert_int_eq(
	    refused("{\"command\":[\"./program\"],\"trace_dir\":\"traces/../elsewhere\"}"),
	    ERROR_NOT_ALLOWED);
	ck_assert_int_eq(
	    refused("{\"command\":[\"./program\"],\"trace_dir\":\"traces/new\"}"), ERROR_RR_FAILED);
}
END_TEST

START_TEST(what_is_missing_above_a_trace_is_made_but_not_through_a_link)
{
	struct destination destination = {0};
	struct stat status;
	char root[96];

	ck_assert(destination_take(&worker, "traces/new/deep//t", base, &destination, &failure));
	ck_assert_int_eq(stat("traces/new/deep", &status), 0);
	ck_assert_int_eq(status.st_mode & 0777, 0700);
	ck_assert_int_lt(stat("traces/new/deep/t", &status), 0);
	destination_release(&destination);
	snprintf(root, sizeof(root), "%s/traces", base);
	json_array_append_new(worker.config.roots, json_string(root));
	ck_assert_int_eq(symlink("..", "traces/out"), 0);
	ck_assert_int_eq(
	    refused("{\"command\":[\"./program\"],\"trace_dir\":\"traces/out/new/t\"}"),
	    ERROR_NOT_ALLOWED);
	ck_assert_int_lt(stat("new", &status), 0);
	ck_assert_int_eq(symlink("../new", "traces/dangling"), 0);
	ck_assert_int_ne(
	    refused("{\"command\":[\"./program\"],\"trace_dir\":\"traces/dangling/x/t\"}"),
	    ERROR_RR_FAILED);
	ck_assert_int_lt(stat("new", &status), 0);
}
END_TEST

START_TEST(what_was_made_above_a_trace_goes_unless_there_is_a_trace)
{
	struct destination destination = {0};
	struct stat status;

	ck_assert_int_eq(mkdir("traces/old", 0700), 0);
	ck_assert(destination_take(&worker, "traces/old/new/t", base, &destination, &failure));
	destination_release(&destination);
	ck_assert_int_lt(stat("traces/old/new", &status), 0);
	ck_assert_int_eq(stat("traces/old", &status), 0);
	ck_assert(destination_take(&worker, "traces/old/new/t", base, &destination, &failure));
	ck_assert_int_eq(mkdir("traces/old/new/t", 0700), 0);
	destination_release(&destination);
	ck_assert_int_eq(stat("traces/old/new/t", &status), 0);
}
END_TEST

START_TEST(a_trace_dir_must_name_something_new)
{
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"trace_dir\":\"traces/..\"}"),
	    ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
	    refused("{\"command\":[\"./program\"],\"trace_dir\":\"/\"}"), ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(numbers_have_bounds)
{
	ck_assert_int_eq(
	    refused("{\"command\":[\"./program\"],\"timeout\":-1}"), ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(
	    refused("{\"command\":[\"./program\"],\"num_cores\":0}"), ERROR_INVALID_ARGUMENT);
	ck_assert_int_eq(refused("{\"command\":[\"./program\"],\"output_limit\":999999}"),
	    ERROR_INVALID_ARGUMENT);
}
END_TEST

START_TEST(the_next_free_number_is_taken)
{
	ck_assert_int_eq(mkdir("traces/a-0", 0700), 0);
	ck_assert_int_eq(mkdir("traces/a-1", 0700), 0);
	snprintf(to.trace, sizeof(to.trace), "%s/traces/a-0", base);
	to.named = false;
	ck_assert(destination_next(&to));
	ck_assert_str_eq(strrchr(to.trace, '/'), "/a-2");
	to.named = true;
	ck_assert(!destination_next(&to));
}
END_TEST

START_TEST(no_two_recordings_claim_one_name)
{
	struct destination other = {0};

	snprintf(to.trace, sizeof(to.trace), "%s/traces/a-0", base);
	memcpy(other.trace, to.trace, sizeof(to.trace));
	to.named = false;
	to.claims = claim_open("traces");
	other.claims = claim_open("traces");
	ck_assert_int_gt(to.claims, 0);
	ck_assert_int_gt(other.claims, 0);
	ck_assert(destination_next(&to));
	ck_assert(destination_next(&other));
	ck_assert_str_eq(strrchr(to.trace, '/'), "/a-0");
	ck_assert_str_eq(strrchr(other.trace, '/'), "/a-1");
	/* The next attempt of the same recording, and the first whose claim has ended. */
	ck_assert_int_eq(mkdir("traces/a-0", 0700), 0);
	ck_assert(destination_next(&to));
	ck_assert_str_eq(strrchr(to.trace, '/'), "/a-2");
	ck_assert_int_eq(rmdir("traces/a-0"), 0);
	ck_assert(destination_next(&other));
	ck_assert_str_eq(strrchr(other.trace, '/'), "/a-0");
	record_plan_free(&plan);
	destination_release(&other);
}
END_TEST

static void begin_at_a_0(struct destination *destination)
{
	*destination = (struct destination){.claims = claim_open("traces")};
	snprintf(destination->trace, sizeof(destination->trace), "%s/traces/a-0", base);
	ck_assert(destination_next(destination));
	ck_assert_str_eq(strrchr(destination->trace, '/'), "/a-0");
}

/* Everything was killed right after rr made the directory. The next recording gets the name. */
START_TEST(an_empty_directory_that_a_killed_recording_left_is_used_again)
{
	struct destination killed;

	begin_at_a_0(&killed);
	ck_assert_int_eq(mkdir("traces/a-0", 0770), 0);
	close(killed.claims);
	begin_at_a_0(&to);
	ck_assert_int_ne(access("traces/a-0", F_OK), 0);
	destination_release(&to);
}
END_TEST

/* A directory with anything in it, or one that appeared after the recording was planned, belongs to
 * somebody. */
START_TEST(no_other_directory_is_removed)
{
	struct destination killed;

	begin_at_a_0(&killed);
	ck_assert_int_eq(mkdir("traces/a-0", 0770), 0);
	put("traces/a-0/file", "somebody's", 0600);
	close(killed.claims);
	to = (struct destination){.claims = claim_open("traces")};
	snprintf(to.trace, sizeof(to.trace), "%s/traces/a-0", base);
	ck_assert(destination_next(&to));
	ck_assert_str_eq(strrchr(to.trace, '/'), "/a-1");
	ck_assert_int_eq(access("traces/a-0/file", F_OK), 0);
	destination_release(&to);

	ck_assert_int_eq(mkdir("traces/a-1", 0770), 0);
	to = (struct destination){.claims = claim_open("traces")};
	snprintf(to.trace, sizeof(to.trace), "%s/traces/a-0", base);
	ck_assert(destination_next(&to));
	ck_assert_str_eq(strrchr(to.trace, '/'), "/a-2");
	ck_assert_int_eq(access("traces/a-1", F_OK), 0);
	destination_release(&to);
}
END_TEST

START_TEST(the_latest_link_is_relative_and_replaced)
{
	char target[64] = "";

	ck_assert_int_eq(symlink("old-0", "traces/latest-trace"), 0);
	snprintf(to.trace, sizeof(to.trace), "%s/traces/a-7", base);
	destination_link_latest(&to);
	ck_assert_int_eq(readlink("traces/latest-trace", target, sizeof(target) - 1), 3);
	ck_assert_str_eq(target, "a-7");
}
END_TEST

START_TEST(only_traces_are_listed_and_the_newest_first)
{
	struct listing listing;

	make_trace("traces/first-0", "version");
	usleep(20000);
	make_trace("traces/second-0", "incomplete");
	make_trace("traces/.hidden-0", "version");
	make_trace("elsewhere", "version");
	ck_assert_int_eq(symlink("../elsewhere", "traces/linked-0"), 0);
	ck_assert_int_eq(symlink("second-0", "traces/latest-trace"), 0);
	ck_assert_int_eq(mkdir("traces/no-trace", 0700), 0);
	put("traces/cpu_lock", "", 0600);
	memset(&failure, 0, sizeof(failure));
	ck_assert(listing_open(&worker, "", &listing, &failure));
	ck_assert_uint_eq(listing.count, 2);
	ck_assert_str_eq(listing.entries[0].name, "second-0");
	ck_assert_int_eq(listing.entries[0].state, TRACE_INCOMPLETE);
	ck_assert_str_eq(listing.entries[1].name, "first-0");
	ck_assert_str_eq(listing.latest, "second-0");
	listing_close(&listing);
}
END_TEST

START_TEST(where_nothing_was_recorded_yet_the_list_is_empty)
{
	struct listing listing;

	ck_assert_int_eq(rmdir("traces"), 0);
	memset(&failure, 0, sizeof(failure));
	ck_assert(listing_open(&worker, "", &listing, &failure));
	ck_assert_uint_eq(listing.count, 0);
	listing_close(&listing);
	ck_assert(!listing_open(&worker, "/no/such/place", &listing, &failure));
	ck_assert_int_eq(failure.code, ERROR_NOT_FOUND);
	listing_close(&listing);
}
END_TEST

START_TEST(a_time_is_told_as_utc)
{
	char text[32];

	listing_time_text(1700000000, text, sizeof(text));
	ck_assert_str_eq(text, "2023-11-14T22:13:20Z");
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_sound_plan_gets_as_far_as_rr,
	    a_command_must_be_words,
	    a_program_that_is_not_there_is_not_found,
	    what_may_not_be_executed_is_said_so,
	    a_program_is_looked_for_in_the_path_it_will_have,
	    a_directory_of_the_path_that_may_not_be_read_holds_no_program,
	    a_directory_of_the_program_s_name_in_the_path_is_passed_over,
	    a_long_path_is_searched_to_its_end,
	    a_relative_program_is_looked_for_from_its_directory_on,
	    a_directory_that_is_not_there_is_an_error,
	    the_policy_says_where_and_what,
	    a_link_does_not_carry_a_program_past_the_policy,
	    a_name_that_gdb_cannot_be_told_is_refused_before_it_is_recorded,
	    a_trace_that_exists_is_refused,
	    a_trace_goes_nowhere_that_is_not_there_or_not_allowed,
	    what_is_missing_above_a_trace_is_made_but_not_through_a_link,
	    what_was_made_above_a_trace_goes_unless_there_is_a_trace,
	    a_trace_dir_must_name_something_new,
	    numbers_have_bounds,
	    the_next_free_number_is_taken,
	    no_two_recordings_claim_one_name,
	    an_empty_directory_that_a_killed_recording_left_is_used_again,
	    no_other_directory_is_removed,
	    the_latest_link_is_relative_and_replaced,
	    only_traces_are_listed_and_the_newest_first,
	    where_nothing_was_recorded_yet_the_list_is_empty,
	    a_time_is_told_as_utc,
	    NULL,
	};

	return run_tests("record plan", tests, enter_base, leave_base);
}
