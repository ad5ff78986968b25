/*
 * Finding and removing traces, on real directories with everything that must not be in them.
 */
#include <check.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>
#include "worker/trace/removal.h"
#include "tests/runner.h"

static char base[64];	     /* a fresh directory; cwd is in it */
static struct worker worker; /* its roots are {base/traces} */
static struct failure failure;
static char removed[TRACE_PATH_MAX];
static uint64_t freed;

static void put(const char *path, const char *content)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(content, file);
	fclose(file);
}

static void make_trace(const char *name)
{
	static const char *const files[] = {"events", "data", "mmaps", "tasks", "mmap_copy_3_libc"};
	char path[256];

	ck_assert_int_eq(mkdir(name, 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "%s/%s", name, files[i]);
		put(path, "some bytes");
	}
	snprintf(path, sizeof(path), "%s/version", name);
	put(path, "85\nbinary");
}

static void make_incomplete(const char *name)
{
	char from[256], to[256];

	make_trace(name);
	snprintf(from, sizeof(from), "%s/version", name);
	snprintf(to, sizeof(to), "%s/incomplete", name);
	ck_assert_int_eq(rename(from, to), 0);
}

static bool is_there(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

static bool removes(const char *name)
{
	memset(&failure, 0, sizeof(failure));
	return removal_remove(&worker, name, removed, &freed, &failure);
}

static void expect_refused(const char *name)
{
	ck_assert(!removes(name));
	ck_assert_int_eq(failure.code, ERROR_NOT_ALLOWED);
}

static void enter_base(void)
{
	snprintf(base, sizeof(base), "/tmp/test_removal.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(base));
	ck_assert_int_eq(chdir(base), 0);
	ck_assert_int_eq(mkdir("traces", 0700), 0);
	char root[96];
	snprintf(root, sizeof(root), "%s/traces", base);
	setenv("_RR_TRACE_DIR", root, 1);
	worker.config.roots = json_pack("[s]", root);
}

static void leave_base(void)
{
	char command[128];

	json_decref(worker.config.roots);
	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static void make_packed(const char *name)
{
	char path[256];

	make_trace(name);
	snprintf(path, sizeof(path), "%s/files.rr", name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	snprintf(path, sizeof(path), "%s/files.rr/rr_git_revision", name);
	put(path, "x");
}

static const struct {
	void (*make)(const char *name);
	const char *called; /* by the client: a single name is looked for where rr keeps traces */
} removable[] = {
    {make_trace, "traces/a-0"},
    {make_trace, "a-0"},
    {make_packed, "traces/a-0/"},
    {make_incomplete, "traces/a-0"},
};

START_TEST(a_trace_is_removed_whole)
{
	removable[_i].make("traces/a-0");
	ck_assert(removes(removable[_i].called));
	ck_assert(!is_there("traces/a-0"));
	ck_assert_uint_gt(freed, 0);
	ck_assert_str_eq(strrchr(removed, '/'), "/a-0");
}
END_TEST

START_TEST(a_trace_that_is_being_recorded_stays)
{
	make_incomplete("traces/a-0");
	int fd = open("traces/a-0/incomplete", O_RDWR);
	ck_assert_int_eq(flock(fd, LOCK_EX), 0);
	expect_refused("traces/a-0");
	ck_assert(is_there("traces/a-0/events"));
	close(fd);
}
END_TEST

/* A trace as rr leaves it when it is killed right after its start, that many seconds ago. */
static void make_beginning(const char *name, time_t seconds)
{
	static const char *const files[] = {"events", "data"};
	struct timespec then[2] = {
	    {.tv_sec = time(NULL) - seconds}, {.tv_sec = time(NULL) - seconds}};
	char path[256];

	ck_assert_int_eq(mkdir(name, 0700), 0);
	for (size_t i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s", name, files[i]);
		put(path, "");
		utimensat(AT_FDCWD, path, then, 0);
	}
}

START_TEST(the_beginning_of_a_trace_is_removed_once_nobody_records_it)
{
	make_beginning("traces/a-0", 0);
	ck_assert(!removes("a-0"));
	ck_assert_ptr_nonnull(strstr(failure.message, "being recorded"));
	make_beginning("traces/a-1", 60);
	ck_assert(removes("a-1"));
	ck_assert(!is_there("traces/a-1"));
	make_beginning("traces/a-2", 60);
	put("traces/a-2/data", "somebody's");
	ck_assert(!removes("a-2"));
	ck_assert(is_there("traces/a-2/data"));
	make_beginning("traces/a-3", 60);
	put("traces/a-3/letter", "");
	ck_assert(!removes("a-3"));
}
END_TEST

START_TEST(what_our_own_rr_has_begun_is_removed_at_once)
{
	char path[128];

	make_beginning("traces/a-0", 0);
	snprintf(path, sizeof(path), "%s/traces/a-0", base);
	removal_remove_recorded(&worker, path);
	ck_assert(!is_there("traces/a-0"));
	make_beginning("traces/a-1", 0);
	put("traces/a-1/letter", "dear");
	snprintf(path, sizeof(path), "%s/traces/a-1", base);
	removal_remove_recorded(&worker, path);
	ck_assert(is_there("traces/a-1/events"));
}
END_TEST

START_TEST(a_trace_that_somebody_uses_stays)
{
	make_trace("traces/a-0");
	int user = open("traces/a-0", O_RDONLY | O_DIRECTORY);

	ck_assert(trace_lock(user, TRACE_USE));
	expect_refused("a-0");
	ck_assert_ptr_nonnull(strstr(failure.message, "in use"));
	ck_assert(is_there("traces/a-0/version"));
	close(user);
	ck_assert(removes("a-0"));
}
END_TEST

START_TEST(a_trace_that_is_being_removed_is_not_there)
{
	struct trace trace;

	make_trace("traces/a-0");
	int remover = open("traces/a-0", O_RDONLY | O_DIRECTORY);
	ck_assert(trace_lock(remover, TRACE_REMOVE));
	memset(&failure, 0, sizeof(failure));
	ck_assert(!trace_open(&worker, "a-0", true, &trace, &failure));
	ck_assert_int_eq(failure.code, ERROR_NOT_FOUND);
	trace_close(&trace);
	close(remover);
	ck_assert(trace_open(&worker, "a-0", true, &trace, &failure));
	trace_close(&trace);
}
END_TEST

START_TEST(what_is_left_of_a_killed_removal_is_removed)
{
	make_trace("traces/a-0");
	unlink("traces/a-0/events");
	unlink("traces/a-0/data");
	ck_assert(removes("traces/a-0"));
	ck_assert(!is_there("traces/a-0"));
}
END_TEST

START_TEST(a_directory_that_is_no_trace_stays)
{
	ck_assert_int_eq(mkdir("traces/home", 0700), 0);
	put("traces/home/letter", "dear");
	ck_assert(!removes("traces/home"));
	ck_assert_int_eq(failure.code, ERROR_INVALID_ARGUMENT);
	ck_assert(is_there("traces/home/letter"));
}
END_TEST

START_TEST(a_foreign_file_in_a_trace_keeps_all_of_it)
{
	make_trace("traces/a-0");
	put("traces/a-0/thesis.tex", "ten years");
	expect_refused("traces/a-0");
	ck_assert_ptr_nonnull(strstr(failure.message, "thesis.tex"));
	ck_assert(is_there("traces/a-0/events"));
	ck_assert(is_there("traces/a-0/version"));
}
END_TEST

START_TEST(a_directory_in_the_place_of_a_file_keeps_all_of_it)
{
	make_trace("traces/a-0");
	ck_assert_int_eq(mkdir("traces/a-0/mmap_copy_9_x", 0700), 0);
	put("traces/a-0/mmap_copy_9_x/letter", "dear");
	ck_assert(!removes("traces/a-0"));
	ck_assert(is_there("traces/a-0/events"));
	ck_assert(is_there("traces/a-0/mmap_copy_9_x/letter"));
}
END_TEST

START_TEST(a_link_to_a_trace_is_not_followed)
{
	make_trace("traces/a-0");
	ck_assert_int_eq(symlink("a-0", "traces/link"), 0);
	ck_assert(!removes("traces/link"));
	ck_assert(!removes("traces/link/"));
	ck_assert(is_there("traces/a-0/events"));
	ck_assert(is_there("traces/link"));
}
END_TEST

START_TEST(a_link_in_a_trace_goes_but_not_what_it_points_to)
{
	put("letter", "dear");
	make_trace("traces/a-0");
	char target[128];
	snprintf(target, sizeof(target), "%s/letter", base);
	ck_assert_int_eq(symlink(target, "traces/a-0/mmap_pack_1_letter"), 0);
	ck_assert(removes("traces/a-0"));
	ck_assert(!is_there("traces/a-0"));
	ck_assert(is_there("letter"));
}
END_TEST

START_TEST(a_files_directory_that_is_a_link_is_not_entered)
{
	ck_assert_int_eq(mkdir("home", 0700), 0);
	put("home/letter", "dear");
	make_trace("traces/a-0");
	ck_assert_int_eq(symlink("../../home", "traces/a-0/files.rr"), 0);
	ck_assert(removes("traces/a-0"));
	ck_assert(is_there("home/letter"));
}
END_TEST

/* By its name, by a way through a root, by a link in a root; a root is not a prefix of letters. */
START_TEST(a_trace_outside_of_the_roots_stays)
{
	static const char *const names[] = {
	    "outside", "traces/../outside", "traces/inside/a-0", "traces2/a-0"};

	make_trace("outside");
	ck_assert_int_eq(mkdir("away", 0700), 0);
	make_trace("away/a-0");
	ck_assert_int_eq(symlink("../away", "traces/inside"), 0);
	ck_assert_int_eq(mkdir("traces2", 0700), 0);
	make_trace("traces2/a-0");
	expect_refused(names[_i]);
	ck_assert(is_there("outside/events"));
	ck_assert(is_there("away/a-0/events"));
	ck_assert(is_there("traces2/a-0/events"));
}
END_TEST

START_TEST(names_that_name_no_trace_are_refused)
{
	static const char *const names[] = {"", "/", ".", "..", "traces/.", "traces/a-0/..", "//"};

	make_trace("traces/a-0");
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ck_assert_msg(!removes(names[i]), "removed \"%s\"", names[i]);
	ck_assert(is_there("traces/a-0/events"));
}
END_TEST

START_TEST(a_missing_trace_is_not_found)
{
	ck_assert(!removes("traces/none"));
	ck_assert_int_eq(failure.code, ERROR_NOT_FOUND);
}
END_TEST

START_TEST(the_latest_link_goes_to_the_newest_left)
{
	char target[64] = "";

	make_trace("traces/a-0");
	make_trace("traces/a-1");
	make_trace("traces/a-2");
	struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
	utimensat(AT_FDCWD, "traces/a-0/version", old, 0);
	ck_assert_int_eq(symlink("a-2", "traces/latest-trace"), 0);
	ck_assert(removes("a-2"));
	ck_assert_int_eq(readlink("traces/latest-trace", target, sizeof(target) - 1), 3);
	ck_assert_str_eq(target, "a-1");
}
END_TEST

START_TEST(the_latest_link_goes_with_the_last_trace)
{
	make_trace("traces/a-0");
	ck_assert_int_eq(symlink("a-0", "traces/latest-trace"), 0);
	ck_assert(removes("a-0"));
	ck_assert(!is_there("traces/latest-trace"));
}
END_TEST

START_TEST(the_latest_link_to_another_trace_stays)
{
	make_trace("traces/a-0");
	make_trace("traces/a-1");
	ck_assert_int_eq(symlink("a-1", "traces/latest-trace"), 0);
	ck_assert(removes("a-0"));
	ck_assert(is_there("traces/latest-trace/events"));
}
END_TEST

#define SWAP_ROUNDS 200
#define SWAP_S	    1 /* on a busy machine there are fewer rounds */

/* Another process keeps swapping the trace for a link to somebody's files while it is removed. */
START_TEST(a_swap_during_the_removal_never_leads_out)
{
	ck_assert_int_eq(mkdir("home", 0700), 0);
	put("home/events", "mine");
	put("home/version", "85\n");
	ck_assert_int_eq(symlink("../home", "traces/bait"), 0);
	pid_t swapper = fork();
	if (swapper == 0) {
		for (;;)
			renameat2(
			    AT_FDCWD, "traces/bait", AT_FDCWD, "traces/a-0", 2 /* EXCHANGE */);
	}
	time_t end = time(NULL) + SWAP_S;
	for (int round = 0; round < SWAP_ROUNDS && time(NULL) <= end; round++) {
		char name[64];
		snprintf(name, sizeof(name), "traces/new-%d", round);
		make_trace(name);
		rename(name, "traces/a-0");
		removes("traces/a-0");
		removes("traces/bait");
	}
	kill(swapper, SIGKILL);
	ck_assert(is_there("home/events"));
	ck_assert(is_there("home/version"));
}
END_TEST

START_TEST(a_version_that_is_no_number_makes_no_trace)
{
	struct trace trace;

	make_trace("traces/a-0");
	put("traces/a-0/version", "hello\n");
	memset(&failure, 0, sizeof(failure));
	ck_assert(!trace_open(&worker, "a-0", true, &trace, &failure));
	ck_assert_int_eq(failure.code, ERROR_INVALID_ARGUMENT);
	trace_close(&trace);
}
END_TEST

START_TEST(a_half_written_trace_may_not_be_replayed)
{
	struct trace trace;

	make_incomplete("traces/a-0");
	memset(&failure, 0, sizeof(failure));
	ck_assert(!trace_open(&worker, "a-0", true, &trace, &failure));
	ck_assert_ptr_nonnull(strstr(failure.message, "incomplete"));
	trace_close(&trace);
	ck_assert(trace_open(&worker, "a-0", false, &trace, &failure));
	ck_assert_int_eq(trace.state, TRACE_INCOMPLETE);
	trace_close(&trace);
}
END_TEST

START_TEST(the_latest_trace_is_the_default_and_links_are_resolved)
{
	struct trace trace;

	make_trace("traces/a-0");
	ck_assert_int_eq(symlink("a-0", "traces/latest-trace"), 0);
	ck_assert(trace_open(&worker, "", true, &trace, &failure));
	ck_assert_str_eq(strrchr(trace.path, '/'), "/a-0");
	trace_close(&trace);
}
END_TEST

START_TEST(outside_of_the_roots_nothing_is_told)
{
	struct trace trace;

	memset(&failure, 0, sizeof(failure));
	ck_assert(!trace_open(&worker, "/nowhere/at/all", true, &trace, &failure));
	ck_assert_int_eq(failure.code, ERROR_NOT_ALLOWED);
	trace_close(&trace);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_trace_is_removed_whole, TIMES(removable)},
	    {a_trace_that_is_being_recorded_stays, 1},
	    {the_beginning_of_a_trace_is_removed_once_nobody_records_it, 1},
	    {what_our_own_rr_has_begun_is_removed_at_once, 1},
	    {a_trace_that_somebody_uses_stays, 1},
	    {a_trace_that_is_being_removed_is_not_there, 1},
	    {what_is_left_of_a_killed_removal_is_removed, 1},
	    {a_directory_that_is_no_trace_stays, 1},
	    {a_foreign_file_in_a_trace_keeps_all_of_it, 1},
	    {a_directory_in_the_place_of_a_file_keeps_all_of_it, 1},
	    {a_link_to_a_trace_is_not_followed, 1},
	    {a_link_in_a_trace_goes_but_not_what_it_points_to, 1},
	    {a_files_directory_that_is_a_link_is_not_entered, 1},
	    {a_trace_outside_of_the_roots_stays, 4},
	    {names_that_name_no_trace_are_refused, 1},
	    {a_missing_trace_is_not_found, 1},
	    {the_latest_link_goes_to_the_newest_left, 1},
	    {the_latest_link_goes_with_the_last_trace, 1},
	    {the_latest_link_to_another_trace_stays, 1},
	    {a_swap_during_the_removal_never_leads_out, 1},
	    {a_version_that_is_no_number_makes_no_trace, 1},
	    {a_half_written_trace_may_not_be_replayed, 1},
	    {the_latest_trace_is_the_default_and_links_are_resolved, 1},
	    {outside_of_the_roots_nothing_is_told, 1},
	    {NULL, 0},
	};

	return run_loops("removal", tests, enter_base, leave_base);
}
