/*
 * Descriptors of all kinds that are open at several moments, opened on several ways. At each of
 * them the program prints what Linux says that it has.
 */
#define _GNU_SOURCE
#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/timerfd.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#define APART __attribute__((noinline, noclone))

/* rr has descriptors of its own from here on. */
enum { RRS_OWN = 900 };

/* The tests stop here. */
APART void looked(void)
{
	__asm__ volatile("");
}

/* Without stdio, which may open something. */
static void tell(int fd, const char *what)
{
	char line[400];
	int length = snprintf(line, sizeof line, "fd %d %s\n", fd, what);

	if (write(1, line, (size_t)length) != length)
		abort();
}

APART void look(void)
{
	char name[64], what[300];

	for (int fd = 0; fd < RRS_OWN; fd++) {
		ssize_t length;

		snprintf(name, sizeof name, "/proc/self/fd/%d", fd);
		length = readlink(name, what, sizeof what - 1);
		if (length < 0)
			continue;
		what[length] = '\0';
		tell(fd, what);
	}
	tell(-1, "end");
	looked();
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

APART void open_pipe(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) != 0)
		abort();
	close(ends[1]);
}

APART void open_pair(void)
{
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		abort();
}

APART int listen_here(struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);
	socklen_t length = sizeof *address;

	*address = (struct sockaddr_in){.sin_family = AF_INET};
	address->sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(fd, (struct sockaddr *)address, length) != 0 || listen(fd, 5) != 0 ||
	    getsockname(fd, (struct sockaddr *)address, &length) != 0)
		abort();
	return fd;
}

APART void connect_there(const struct sockaddr_in *address)
{
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	if (connect(fd, (const struct sockaddr *)address, sizeof *address) != 0)
		abort();
}

APART void accept_one(int fd)
{
	struct sockaddr_in peer;
	socklen_t length = sizeof peer;

	if (accept(fd, (struct sockaddr *)&peer, &length) < 0)
		abort();
}

APART void bind_name(void)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = "\0rr-warden-opened"};
	int fd = socket(AF_UNIX, SOCK_DGRAM, 0);

	if (fd < 0 || bind(fd, (struct sockaddr *)&address, sizeof(sa_family_t) + 17) != 0)
		abort();
}

APART void open_others(void)
{
	sigset_t none;
	int signals;

	sigemptyset(&none);
	eventfd(0, 0);
	timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC);
	signals = signalfd(-1, &none, SFD_CLOEXEC);
	signalfd(signals, &none, 0);
	epoll_create1(0);
	inotify_init1(IN_CLOEXEC);
	memfd_create("mine", 0);
}

APART void open_files(void)
{
	DIR *directory = opendir("/etc");
	FILE *file = fopen("/etc/group", "r");

	if (!directory || !file || openat(dirfd(directory), "passwd", O_RDONLY) < 0)
		abort();
	/* These have no effect. */
	if (open("/nothing/there", O_RDONLY) >= 0)
		abort();
	fclose(fopen("/etc/passwd", "r"));
}

APART void copy(int fd)
{
	dup2(fd, 50);
	if (fcntl(fd, F_DUPFD, 60) != 60 || fcntl(fd, F_DUPFD_CLOEXEC, 70) != 70 ||
	    dup3(fd, 80, O_CLOEXEC) != 80 || dup(fd) < 0)
		abort();
	dup2(50, 50);
}

static void kinds(void)
{
	struct sockaddr_in address;
	int fd;

	open_pipe();
	open_pair();
	fd = listen_here(&address);
	connect_there(&address);
	accept_one(fd);
	bind_name();
	open_others();
	open_files();
	copy(fd);
	for (int i = 100; i < 110; i++)
		dup2(fd, i);
	syscall(SYS_close_range, 103, 105, 0);
	syscall(SYS_close_range, 107, 108, 4); /* they are closed at an exec */
}

/* ---- Other processes ------------------------------------------------------------------------- */

APART void send_one(int over, int fd)
{
	char byte = 'x', control[CMSG_SPACE(2 * sizeof fd)] = {0};
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = control,
	    .msg_controllen = sizeof control};
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int both[2] = {fd, 0};

	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof both);
	memcpy(CMSG_DATA(header), both, sizeof both);
	if (sendmsg(over, &message, 0) != 1)
		abort();
}

APART void take_one(int over)
{
	char byte, control[CMSG_SPACE(4 * sizeof(int))];
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part,
	    .msg_iovlen = 1,
	    .msg_control = control,
	    .msg_controllen = sizeof control};

	if (recvmsg(over, &message, 0) != 1)
		abort();
}

static void family(void)
{
	int ends[2], before = open("/etc/group", O_RDONLY);
	pid_t child;

	if (before < 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0)
		abort();
	child = fork();
	if (child == 0) {
		close(ends[0]);
		send_one(ends[1], open("/etc/passwd", O_RDONLY));
		look();
		_exit(0);
	}
	take_one(ends[0]);
	waitpid(child, NULL, 0);
	look();
}

/* ---- Threads, and leaks ---------------------------------------------------------------------- */

APART void leak(int number)
{
	if (open(number % 2 ? "/etc/group" : "/etc/passwd", O_RDONLY) < 0)
		abort();
	close(open("/etc/group", O_RDONLY));
}

static void *leak_too(void *times)
{
	for (int i = 0; i < *(int *)times; i++)
		leak(i);
	return NULL;
}

static void leaks(int times)
{
	pthread_t thread;
	int few = 5;

	pthread_create(&thread, NULL, leak_too, &few);
	pthread_join(thread, NULL);
	look();
	for (int i = 0; i < times; i++)
		leak(i);
	look();
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "kinds";

	if (strcmp(what, "exec") == 0) {
		kinds();
		execv("/proc/self/exe", (char *[]){argv[0], "begun", NULL});
	}
	if (strcmp(what, "spawn") == 0) {
		FILE *other;

		open_files();
		other = popen("true", "r"); /* its child calls dup2, too */
		dup2(1, 40);
		fclose(fopen("/etc/group", "r"));
		open_pair();
		look();
		pclose(other);
	}
	if (strcmp(what, "kinds") == 0)
		kinds();
	if (strcmp(what, "kinds") == 0 || strcmp(what, "begun") == 0)
		look();
	if (strcmp(what, "family") == 0)
		family();
	if (strcmp(what, "leaks") == 0)
		leaks(argc > 2 ? atoi(argv[2]) : 40);
	return 0;
}
