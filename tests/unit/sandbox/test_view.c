/*
 * Which files a confined process can see and write, by role.
 */
#include "tests/unit/sandbox/confined.h"
#include "tests/runner.h"

/* Paths that exist on the machine and do not belong to the system. */
static const char *const not_seen[] = {"/root", "/home", "/run", "/var/lib", "/var/run",
    "/etc/shadow", "/etc/ssh", "/etc/ssl", "/boot", "/srv", "/opt", "/mnt", "/dev/mem", "/dev/vda",
    "/dev/sda", "/sys/kernel", "/sys/class"};

START_TEST(only_the_system_is_seen)
{
	pid_t child = confined(ROLE_WORKER);

	if (child == 0) {
		for (size_t i = 0; i < sizeof(not_seen) / sizeof(*not_seen); i++) {
			if (exists(not_seen[i]))
				dprintf(2, "%s is seen\n", not_seen[i]);
			EXPECT(!exists(not_seen[i]));
		}
		EXPECT(!exists(folder) && is_empty("/tmp") && is_empty("/var/tmp"));
		EXPECT(exists("/dev/null") && exists("/usr/bin") && exists("/bin/sh"));
		EXPECT(exists("/etc/ld.so.cache") && exists("/proc/self/status"));
		_exit(0);
	}
	passed(child);
}
END_TEST

/* Users record their own programs. Only root, or an administrator's settings, have anything to hide
 * from these. */
START_TEST(a_recording_sees_what_its_user_sees)
{
	char file[64];

	snprintf(file, sizeof(file), "%s/file", folder);
	make_file(file);
	pid_t child = confined(ROLE_RECORD);
	if (child == 0) {
		EXPECT(exists(file) && exists("/run") && exists("/etc/passwd"));
		EXPECT(!creates(folder) && !creates("/usr") && !creates("/etc"));
		EXPECT(!exists("/dev/mem") && !exists("/dev/vda"));
		EXPECT(open("/proc/sys/kernel/core_pattern", O_WRONLY) < 0);
		_exit(0);
	}
	passed(child);
}
END_TEST

START_TEST(a_recording_with_covers_sees_no_secrets)
{
	policy.covers = true;
	pid_t child = confined(ROLE_RECORD);
	if (child == 0) {
		EXPECT(is_empty("/home") && is_empty("/root") && is_empty("/run"));
		EXPECT(!exists(folder) && creates("/tmp"));
		char byte;
		int shadow = open("/etc/shadow", O_RDONLY);
		EXPECT(shadow < 0 || read(shadow, &byte, 1) == 0);
		_exit(0);
	}
	passed(child);
}
END_TEST

START_TEST(a_recording_has_its_users_network_unless_it_is_to_be_private)
{
	char outside[64] = {0}, inside[64] = {0};

	policy.own_network = _i;
	ck_assert_int_gt(readlink("/proc/self/ns/net", outside, sizeof(outside) - 1), 0);
	pid_t child = confined(ROLE_RECORD);
	if (child == 0) {
		EXPECT(readlink("/proc/self/ns/net", inside, sizeof(inside) - 1) > 0);
		EXPECT((strcmp(inside, outside) != 0) == _i);
		_exit(0);
	}
	passed(child);
	ck_assert_int_eq(report.status[LAYER_NET_NS], _i ? STATUS_FULL : STATUS_UNUSED);
}
END_TEST

START_TEST(nothing_is_written_but_memory)
{
	pid_t child = confined(ROLE_WORKER);

	if (child == 0) {
		EXPECT(creates("/tmp") && creates("/dev/shm"));
		EXPECT(!creates("/") && !creates("/usr") && !creates("/etc") && !creates("/var"));
		EXPECT(!creates("/home") && !creates("/dev") && !creates("/run"));
		EXPECT(open("/proc/sys/kernel/core_pattern", O_WRONLY) < 0);
		EXPECT(open("/proc/sysrq-trigger", O_WRONLY) < 0);
		EXPECT(open("/dev/null", O_WRONLY) >= 0);
		_exit(0);
	}
	passed(child);
	ck_assert(!exists("/tmp/made"));
}
END_TEST

START_TEST(named_paths_are_seen_and_only_writable_ones_written)
{
	static const enum sandbox_role roles[] = {ROLE_WORKER, ROLE_RECORD};
	char shown[256], inner[240], beside[256], file[256];
	const char *read_only[] = {shown, file, NULL}, *read_write[] = {inner, NULL};

	snprintf(shown, sizeof(shown), "%s/shown", folder);
	snprintf(inner, sizeof(inner), "%s/shown/inner", folder);
	snprintf(beside, sizeof(beside), "%s/beside", folder);
	snprintf(file, sizeof(file), "%s/file", folder);
	ck_assert(mkdir(shown, 0755) == 0 && mkdir(inner, 0755) == 0 && mkdir(beside, 0755) == 0);
	make_file(file);
	policy.read_only = read_only;
	policy.read_write = read_write;
	policy.covers = true;
	pid_t child = confined(roles[_i]);
	if (child == 0) {
		EXPECT(exists(shown) && !creates(shown) && !exists(beside));
		EXPECT(exists(file) && open(file, O_WRONLY) < 0);
		EXPECT(creates(inner));
		_exit(0);
	}
	passed(child);
	snprintf(shown, sizeof(shown), "%s/made", inner);
	ck_assert(exists(shown));
}
END_TEST

START_TEST(links_and_empty_directories_are_there_as_named)
{
	char link[64], target[64], empty[64];
	const char *links[] = {link, target, NULL}, *read_only[] = {target, NULL};
	const char *empties[] = {empty, NULL};

	snprintf(target, sizeof(target), "%s/target", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(empty, sizeof(empty), "%s/a/b", folder);
	ck_assert(mkdir(target, 0755) == 0);
	policy.read_only = read_only;
	policy.links = links;
	policy.empty = empties;
	policy.directory = empty;
	pid_t child = confined(ROLE_WORKER);
	if (child == 0) {
		char here[PATH_MAX];
		EXPECT(exists(link) && is_empty(empty));
		EXPECT(getcwd(here, sizeof(here)) && strcmp(here, empty) == 0);
		_exit(0);
	}
	passed(child);
}
END_TEST

/* Names that an attacker can choose: none of them takes a layer away. */
static const char *const troubles[] = {
    "/does/not/exist", "%s/loop", "%s/link", "/dev/net/tun/x", "/proc/self/root", "%s/file/x"};

START_TEST(a_path_that_cannot_be_had_fails_the_call_and_names_itself)
{
	char path[64], loop[64], link[64], file[64];
	const char *list[] = {path, NULL};
	enum sandbox_role role = _i % 2 ? ROLE_RECORD : ROLE_WORKER;

	snprintf(loop, sizeof(loop), "%s/loop", folder);
	snprintf(link, sizeof(link), "%s/link", folder);
	snprintf(file, sizeof(file), "%s/file", folder);
	make_file(file);
	ck_assert(symlink("loop", loop) == 0 && symlink("/usr", link) == 0);
	snprintf(path, sizeof(path), troubles[_i / 2], folder);
	policy.read_write = list;
	pid_t child = sandbox_fork(role, &policy, &report, &pidfd, why, sizeof(why));
	if (child == 0)
		_exit(0);
	ck_assert_int_lt(child, 0);
	ck_assert(report.call_failed);
	ck_assert_msg(strstr(why, path) == why, "%s", why);
	policy.read_write = NULL;
	child = confined(role); /* the next call has all layers */
	if (child == 0)
		_exit(0);
	passed(child);
}
END_TEST

START_TEST(the_directory_we_came_from_leads_nowhere)
{
	char inner[64];

	snprintf(inner, sizeof(inner), "%s/inner", folder);
	ck_assert(mkdir(inner, 0755) == 0 && chdir(inner) == 0);
	pid_t child = confined(ROLE_WORKER);
	if (child == 0) {
		char here[PATH_MAX];
		EXPECT(getcwd(here, sizeof(here)) && strcmp(here, "/") == 0);
		EXPECT(!exists("../inner"));
		_exit(0);
	}
	passed(child);
	ck_assert_int_eq(chdir("/"), 0);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {only_the_system_is_seen, 1},
	    {a_recording_sees_what_its_user_sees, 1},
	    {a_recording_with_covers_sees_no_secrets, 1},
	    {a_recording_has_its_users_network_unless_it_is_to_be_private, 2},
	    {nothing_is_written_but_memory, 1},
	    {named_paths_are_seen_and_only_writable_ones_written, 2},
	    {links_and_empty_directories_are_there_as_named, 1},
	    {a_path_that_cannot_be_had_fails_the_call_and_names_itself, 2 * TIMES(troubles)},
	    {the_directory_we_came_from_leads_nowhere, 1},
	    {NULL, 0},
	};

	return run_loops("view", tests, set_up, tear_down);
}
