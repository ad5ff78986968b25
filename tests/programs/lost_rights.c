/*
 * Gives up rights, step by step, as its arguments say, and then works. Between two steps it is
 *still the same program, or a child, or a new image of it: `exec`.
 *
 *	lost_rights users pids exec work
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOBODY 65534

enum { ROUNDS = 50000 };

static void must(int result, const char *what)
{
	if (result >= 0)
		return;
	perror(what);
	exit(1);
}

static void write_file(const char *path, const char *text)
{
	int fd = open(path, O_WRONLY);

	must(fd, path);
	must((int)write(fd, text, strlen(text)), path);
	close(fd);
}

/* A child goes on, and this process ends as it does. */
static void go_on_in_child(void)
{
	int status = 0;
	pid_t child = fork();

	must(child, "fork");
	if (child == 0)
		return;
	must(waitpid(child, &status, 0), "wait");
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 99);
}

static void enter_users(void)
{
	char users[32], groups[32];

	snprintf(users, sizeof users, "0 %d 1", (int)geteuid());
	snprintf(groups, sizeof groups, "0 %d 1", (int)getegid());
	must(unshare(CLONE_NEWUSER), "a user namespace");
	write_file("/proc/self/setgroups", "deny");
	write_file("/proc/self/uid_map", users);
	write_file("/proc/self/gid_map", groups);
}

static void enter_processes(void)
{
	must(unshare(CLONE_NEWPID | CLONE_NEWNS), "a process namespace");
	go_on_in_child();
	must(mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL), "private mounts");
	must(mount("proc", "/proc", "proc", 0, NULL), "mount /proc");
}

static void work(void)
{
	unsigned long sum = 0;

	for (int i = 0; i < ROUNDS; i++)
		sum += (unsigned)i % 7 == 3 ? 2 : 1;
	printf("worked: %lu\n", sum);
}

int main(int argc, char *argv[])
{
	for (int i = 1; i < argc; i++) {
		const char *step = argv[i];

		if (strcmp(step, "user") == 0)
			must(setresgid(NOBODY, NOBODY, NOBODY) | setresuid(NOBODY, NOBODY, NOBODY),
			    "another user");
		else if (strcmp(step, "users") == 0)
			enter_users();
		else if (strcmp(step, "pids") == 0)
			enter_processes();
		else if (strcmp(step, "undumpable") == 0)
			must(prctl(PR_SET_DUMPABLE, 0), "not dumpable");
		else if (strcmp(step, "fork") == 0)
			go_on_in_child();
		else if (strcmp(step, "exec") == 0) {
			argv[i] = argv[0];
			must(execv(argv[0], argv + i), argv[0]);
		} else {
			work();
		}
	}
	return 0;
}
