/*
 * The monitor against a supervisor that was taken over, and against traces and paths that are meant
 * to harm it.
 */
#include <errno.h>
#include <poll.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "supervisor/monitor/broker.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/recorded_files.h"
#include "supervisor/monitor/source_place.h"
#include "tests/runner.h"

#define ANSWER_MS 5000
#define QUIET_MS  300

static struct settings *settings;
static struct paths paths;
static char folder[] = "/tmp/rr-warden-unit.XXXXXX", home[64], secret[80];
static struct composition composition;
static struct sandbox_policy policy;
static char why[256];

static void set_up(void)
{
	memcpy(strrchr(folder, '.') + 1, "XXXXXX", 7);
	ck_assert_ptr_nonnull(mkdtemp(folder));
	snprintf(home, sizeof(home), "%s/home", folder);
	snprintf(secret, sizeof(secret), "%s/.ssh", home);
	ck_assert(mkdir(home, 0700) == 0 && mkdir(secret, 0700) == 0);
	setenv("HOME", home, 1);
	unsetenv("XDG_DATA_HOME");
	unsetenv("_RR_TRACE_DIR");
	settings = settings_new();
	strlcpy(paths.worker, "/usr/bin/true", sizeof(paths.worker));
	strlcpy(paths.here, home, sizeof(paths.here));
	sandbox_policy_default(&policy);
}

static void tear_down(void)
{
	char command[128];

	settings_free(settings);
	snprintf(command, sizeof(command), "rm -rf '%s'", folder);
	ck_assert_int_eq(system(command), 0);
}

/* ---- What is seen ------------------------------------------------------------------------------
 */

static const struct {
	enum worker_kind kind;
	uint32_t operation;
} workers[] = {{WORKER_REPLAY, WIRE_OP_REPLAY_START}, {WORKER_REPLAY, WIRE_OP_CONTINUE},
    {WORKER_QUERY, WIRE_OP_PS}, {WORKER_QUERY, WIRE_OP_TRACEINFO}, {WORKER_QUERY, WIRE_OP_PACK},
    {WORKER_QUERY, WIRE_OP_EXPORT}, {WORKER_QUERY, WIRE_OP_RM}, {WORKER_QUERY, WIRE_OP_IMPORT},
    {WORKER_QUERY, WIRE_OP_LIST_RECORDINGS}, {WORKER_QUERY, WIRE_OP_STATUS},
    {WORKER_COMPARE, WIRE_OP_COMPARE_RUNS}, {WORKER_QUERY, WIRE_OP_RECORD}, {WORKER_QUERY, 9999}};
#define WORKERS (TIMES(workers))

static int compose(int worker, const char *name)
{
	const char *names[LAUNCH_NAME_COUNT];
	static struct launch_request request;

	for (size_t i = 0; i < LAUNCH_NAME_COUNT; i++)
		names[i] = name;
	launcher_name(&request, 1, workers[worker].kind, workers[worker].operation, names);
	compose_begin(&composition, settings, &paths, &request);
	return compose_paths(&composition, &policy, why, sizeof(why));
}

static void expect_unseen(enum visible_list list, const char *name)
{
	const char *const private[] = {"/", "/etc", "/home", "/root", home, secret, folder};

	for (size_t i = 0; i < composition.visible.counts[list]; i++)
		for (size_t k = 0; k < sizeof(private) / sizeof(*private); k++)
			ck_assert_msg(strcmp(composition.visible.lists[list][i], private[k]) != 0,
			    "%s shows %s", name, private[k]);
}

START_TEST(a_name_shows_nothing_but_traces)
{
	const char *const names[] = {"/", "/etc", "/etc/shadow", home, secret, ".", "..", "~/",
	    "~/.ssh", ".ssh", "/proc/1/root", "/proc/self/cwd", "/home", "/root", "../../../etc",
	    "", "/dev", "/./", "//etc//"};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		if (compose(_i, names[i]) < 0)
			continue;
		expect_unseen(VISIBLE_READ, names[i]);
		expect_unseen(VISIBLE_WRITE, names[i]);
		expect_unseen(VISIBLE_PARENT, names[i]);
	}
}
END_TEST

START_TEST(a_file_called_version_makes_no_trace)
{
	char path[96];

	snprintf(path, sizeof(path), "%s/version", secret);
	fclose(fopen(path, "w"));
	snprintf(path, sizeof(path), "%s/id", secret);
	fclose(fopen(path, "w"));
	ck_assert_int_eq(compose(0, secret), 0);
	expect_unseen(VISIBLE_READ, secret);
	ck_assert_int_eq(compose(8, "/"), 0); /* /proc/version */
	expect_unseen(VISIBLE_READ, "/");
	for (size_t i = 0; i < composition.visible.counts[VISIBLE_READ]; i++)
		ck_assert(
		    !visible_path_is_within(composition.visible.lists[VISIBLE_READ][i], "/proc"));
}
END_TEST

START_TEST(a_path_that_loops_is_the_calls_error)
{
	char loop[80], last[90];

	snprintf(loop, sizeof(loop), "%s/loop", home);
	snprintf(last, sizeof(last), "%s/loop/trace", home);
	ck_assert_int_eq(symlink("loop", loop), 0);
	ck_assert_int_lt(compose(0, last), 0);
	ck_assert_ptr_nonnull(strstr(why, last));
	ck_assert_ptr_nonnull(strstr(why, strerror(ELOOP)));
	ck_assert_int_eq(compose(0, "/no/such/trace"), 0); /* the worker says that */
}
END_TEST

START_TEST(links_on_the_way_are_noted_and_the_kernels_own_are_not_followed)
{
	static struct visible_paths visible;
	char link[80], path[90], real[PATH_MAX];

	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(path, sizeof(path), "%s/link/.ssh/../.ssh", folder);
	ck_assert_int_eq(symlink("home", link), 0);
	ck_assert_int_eq(visible_paths_follow(&visible, path, false, real), 0);
	ck_assert_str_eq(real, secret);
	ck_assert_uint_ge(visible.link_count, 1);
	ck_assert_str_eq(visible.links[2 * (visible.link_count - 1)], link);
	ck_assert_int_lt(visible_paths_follow(&visible, "/proc/self/root/etc", false, real), 0);
	ck_assert_int_eq(errno, EPERM);
}
END_TEST

START_TEST(sources_are_in_no_dotted_directory_of_a_home_and_in_nothing_hidden)
{
	static const struct {
		const char *path;
		bool fit;
	} cases[] = {{"/home/u/work/src/a.c", true}, {"/home/u/.docker/config.json", false},
	    {"/home/u/work/.git/config", false}, {"/home/u/.ssh/a.c", false},
	    {"/home/u/.cargo/registry/src/x-1/lib.rs", true},
	    {"/home/u/.cargo/registry/index/.cache/a.rs", false},
	    {"/home/u/.cargo/credentials.toml", false}, {"/home/u/.cargo/registry/token", false},
	    {"/home/u/.rustup/toolchains/s/lib/core.rs", true}, {"/srv/.build/a.c", true},
	    {"/tmp/build/a.c", true}, {"/etc/shadow", false}, {"/etc/ssh/ssh_host_rsa_key", false},
	    {"/proc/self/environ", false}, {"/run/secrets/a.c", false}};
	struct source_homes homes = {.paths = {"/home/u"}, .count = 1};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++)
		ck_assert_msg(source_place_is_fit(&homes, cases[i].path) == cases[i].fit, "%s",
		    cases[i].path);
}
END_TEST

START_TEST(a_server_in_a_home_or_a_common_place_has_no_work_tree)
{
	static const char *const none[] = {"/", "/home", "/home/u", "/home/other", "/tmp",
	    "/var/tmp", "/etc", "/etc/ssh", "/var", "/run/user", "/home/u/.config/x", "/dev"};
	struct source_homes homes = {.paths = {"/home/u"}, .count = 1};
	char tree[PATH_MAX];

	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		ck_assert_msg(!source_place_work_tree(&homes, none[i], tree, NULL), "%s", none[i]);
	ck_assert(source_place_work_tree(&homes, "/home/u/work/src", tree, NULL));
	ck_assert_str_eq(tree, "/home/u/work/src");
}
END_TEST

static struct passwd entry; /* of this user, in place of the machine's */

/* The C library's, for this program. */
struct passwd *getpwuid(uid_t uid)
{
	(void)uid;
	return entry.pw_dir ? &entry : NULL;
}

/* $HOME is whatever the client's host says. */
START_TEST(a_home_is_what_the_passwd_entry_says_too)
{
	struct source_homes homes;
	char tree[PATH_MAX];

	setenv("HOME", "/nonexistent", 1);
	entry.pw_dir = home;
	source_homes_find(&homes);
	ck_assert(source_is_in_home(&homes, secret));
	ck_assert(!source_place_work_tree(&homes, home, tree, NULL));
}
END_TEST

/* ---- Requests -----------------------------------------------------------------------------------
 */

static struct launch_notice notice;

static enum launch_what next_notice(int fd, int wait_ms, bool *came)
{
	struct pollfd ready = {.fd = fd, .events = POLLIN};
	int fds[2];

	for (;;) {
		*came = poll(&ready, 1, wait_ms) == 1;
		if (!*came || launcher_receive(fd, &notice, fds) <= 0)
			return LAUNCH_HELLO;
		for (int i = 0; i < 2; i++)
			if (fds[i] >= 0)
				close(fds[i]);
		if (notice.what != LAUNCH_HELLO)
			return (enum launch_what)notice.what;
	}
}

static void expect_silence(int fd, const struct launch_request *request, size_t size)
{
	bool came;

	ck_assert_int_eq(send(fd, request, size, MSG_NOSIGNAL), size);
	next_notice(fd, QUIET_MS, &came);
	ck_assert_msg(!came, "a request of %zu bytes was obeyed", size);
}

START_TEST(requests_that_no_supervisor_sends_are_refused)
{
	static struct launch_request good, bad;
	const size_t head = offsetof(struct launch_request, names);
	const char *const none[LAUNCH_NAME_COUNT] = {NULL};
	bool came;

	ck_assert_int_eq(settings_set(settings, SETTING_RECORD, "no", SOURCE_FLAG, why), 0);
	int fd = launcher_start(&paths, settings);
	ck_assert_int_ge(fd, 0);
	launcher_name(&good, 7, WORKER_QUERY, WIRE_OP_STATUS, none);
	expect_silence(fd, &good, head - 1);
	expect_silence(fd, &good, head + good.length - 1);
	bad = good;
	bad.kind = 99;
	expect_silence(fd, &bad, head + bad.length);
	bad = good;
	bad.kind = WORKER_ANY;
	expect_silence(fd, &bad, head + bad.length);
	bad = good;
	bad.length = UINT32_MAX;
	expect_silence(fd, &bad, head + good.length);
	bad = good;
	memset(bad.names, 'x', sizeof(bad.names));
	bad.length = LAUNCH_NAMES_MAX;
	expect_silence(fd, &bad, head + bad.length);
	bad = good;
	bad.kind = WORKER_RECORD; /* the settings forbid it */
	expect_silence(fd, &bad, head + bad.length);
	ck_assert_int_eq(launcher_request(fd, &good), 0);
	ck_assert_int_eq(next_notice(fd, ANSWER_MS, &came), LAUNCH_STARTED);
	close(fd);
}
END_TEST

/* Directories with the files that make a trace. */
static void make_trace(const char *traces, const char *name)
{
	char path[160];

	snprintf(path, sizeof(path), "%s/%s", traces, name);
	ck_assert_int_eq(mkdir(path, 0700), 0);
	for (int i = 0; i < 2; i++) {
		snprintf(path, sizeof(path), "%s/%s/%s", traces, name, i ? "version" : "events");
		fclose(fopen(path, "w"));
	}
}

/* A worker must not say it itself. */
START_TEST(the_monitor_says_which_trace_is_replayed)
{
	static struct launch_request wanted;
	static const char *const named[][2] = {
	    {NULL, "b"}, {"latest-trace", "b"}, {"a", "a"}, {"none", ""}};
	const char *const *name = named[_i];
	const char *const names[LAUNCH_NAME_COUNT] = {[LAUNCH_TRACE] = name[0]};
	char traces[80], path[100] = "";
	bool came;

	snprintf(traces, sizeof(traces), "%s/traces", folder);
	ck_assert_int_eq(mkdir(traces, 0700), 0);
	make_trace(traces, "a");
	make_trace(traces, "b");
	snprintf(path, sizeof(path), "%s/latest-trace", traces);
	ck_assert_int_eq(symlink("b", path), 0);
	setenv("_RR_TRACE_DIR", traces, 1);
	ck_assert_int_eq(
	    settings_set(settings, SETTING_LAYER_NET_NS, "prefer", SOURCE_FLAG, why), 0);
	int fd = launcher_start(&paths, settings);
	launcher_name(&wanted, 7, WORKER_REPLAY, WIRE_OP_REPLAY_START, names);
	ck_assert_int_eq(launcher_request(fd, &wanted), 0);
	ck_assert_int_eq(next_notice(fd, ANSWER_MS, &came), LAUNCH_STARTED);
	snprintf(path, sizeof(path), "%s/%s", traces, name[1]);
	ck_assert_str_eq(notice.trace, name[1][0] ? path : "");
	close(fd);
}
END_TEST

#define FLOOD	  1500
#define TOLD_MOST 1000

/* During the flood, the messages of the monitor and the server go into a file. */
static int lines_with(const char *path, const char *words)
{
	char line[512];
	int count = 0;
	FILE *file = fopen(path, "r");

	ck_assert_ptr_nonnull(file);
	while (fgets(line, sizeof(line), file) != NULL)
		count += strstr(line, words) != NULL;
	fclose(file);
	return count;
}

START_TEST(a_flood_of_refused_requests_does_not_fill_the_audit)
{
	static struct launch_request good;
	const char *const none[LAUNCH_NAME_COUNT] = {NULL};
	char path[128];
	bool came;

	snprintf(path, sizeof(path), "%s/stderr", folder);
	ck_assert_ptr_nonnull(freopen(path, "w", stderr));
	int fd = launcher_start(&paths, settings);
	ck_assert_int_ge(fd, 0);
	for (int i = 0; i < FLOOD; i++) {
		struct pollfd ready = {.fd = fd, .events = POLLOUT};
		while (send(fd, "x", 1, MSG_NOSIGNAL) != 1)
			ck_assert_int_eq(poll(&ready, 1, ANSWER_MS), 1);
	}
	launcher_name(&good, 7, WORKER_QUERY, WIRE_OP_STATUS, none);
	struct pollfd ready = {.fd = fd, .events = POLLOUT};
	while (launcher_request(fd, &good) != 0)
		ck_assert_int_eq(poll(&ready, 1, ANSWER_MS), 1);
	ck_assert_int_eq(next_notice(fd, ANSWER_MS, &came), LAUNCH_STARTED);
	close(fd);
	ck_assert_int_eq(lines_with(path, "refused a request"), TOLD_MOST);
	ck_assert_int_eq(lines_with(path, "without a line for each"), 1);
}
END_TEST

/* ---- Lists of mappings
 * ---------------------------------------------------------------------------- */

/* One message in the packed encoding: a root struct without data and with one pointer, to six bytes
 * of text. */
static const unsigned char packed[] = {0x10, 0x03, /* one segment of three words */
    0x40, 0x01,					   /* struct: 0 words, 1 pointer */
    0x11, 0x01, 0x3a,				   /* list of 7 bytes, right behind */
    0x3f, '/', 'a', '/', 'b', '/', 'c'};

START_TEST(names_are_read_from_a_list_of_mappings)
{
	char names[64];

	ck_assert_uint_eq(recorded_files_parse(packed, sizeof(packed), names, sizeof(names)), 7);
	ck_assert_str_eq(names, "/a/b/c");
	ck_assert_uint_eq(recorded_files_parse(packed, sizeof(packed), names, 6), 0);
}
END_TEST

START_TEST(garbage_is_no_list_of_mappings)
{
	unsigned char bytes[256];
	char names[512];

	srandom(1);
	for (int round = 0; round < 400; round++) {
		for (size_t i = 0; i < sizeof(bytes); i++)
			bytes[i] = (unsigned char)random();
		memcpy(bytes, packed, (size_t)random() % sizeof(packed));
		for (size_t length = 0; length < sizeof(bytes); length += 17)
			ck_assert_uint_le(recorded_files_parse(bytes, length, names, sizeof(names)),
			    sizeof(names));
	}
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_name_shows_nothing_but_traces, WORKERS},
	    {a_file_called_version_makes_no_trace, 1},
	    {a_path_that_loops_is_the_calls_error, 1},
	    {links_on_the_way_are_noted_and_the_kernels_own_are_not_followed, 1},
	    {sources_are_in_no_dotted_directory_of_a_home_and_in_nothing_hidden, 1},
	    {a_server_in_a_home_or_a_common_place_has_no_work_tree, 1},
	    {a_home_is_what_the_passwd_entry_says_too, 1},
	    {requests_that_no_supervisor_sends_are_refused, 1},
	    {the_monitor_says_which_trace_is_replayed, 4},
	    {a_flood_of_refused_requests_does_not_fill_the_audit, 1},
	    {names_are_read_from_a_list_of_mappings, 1},
	    {garbage_is_no_list_of_mappings, 1},
	    {NULL, 0},
	};

	return run_loops("monitor", tests, set_up, tear_down);
}
