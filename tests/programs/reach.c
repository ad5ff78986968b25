/*
 * Functions for a debugger to call in a replay: each tries to reach something outside, and returns
 * the kernel's answer (negative: an errno).
 */
#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <unistd.h>

/* U+202E turns the line around, U+E0041 is not seen at all. */
const char *const misleading = "a\xe2\x80\xae"
			       "b\xf3\xa0\x81\x81"
			       "c";

static long answer(long result)
{
	return result < 0 ? -errno : result;
}

long reach_read(const char *path)
{
	return answer(open(path, O_RDONLY));
}

long reach_write(const char *path)
{
	return answer(open(path, O_WRONLY));
}

long reach_make(const char *path)
{
	return answer(open(path, O_WRONLY | O_CREAT, 0600));
}

long reach_chmod(const char *path)
{
	return answer(chmod(path, 0777));
}

long reach_socket(int domain, int type, int protocol)
{
	return answer(socket(domain, type, protocol));
}

long reach_unix(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_STREAM, 0);

	if (fd < 0)
		return -errno;
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	return answer(connect(fd, (struct sockaddr *)&address, sizeof(address)));
}

/* A datagram to a socket of the user's, from one end of a pair: no call names the other socket but
 * the one that sends. */
long reach_datagram(const char *path, int type)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int ends[2];

	if (socketpair(AF_UNIX, type, 0, ends) < 0)
		return -errno;
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	return answer(sendto(ends[0], "here", 4, 0, (struct sockaddr *)&address, sizeof(address)));
}

/* TCP Fast Open: a connection without connect(), by sendto or by sendmsg. */
long reach_server(int port, int by_message)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	    .sin_port = htons((in_port_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	struct iovec text = {.iov_base = (void *)(size_t) "here", .iov_len = 4};
	struct msghdr message = {.msg_name = &address,
	    .msg_namelen = sizeof(address),
	    .msg_iov = &text,
	    .msg_iovlen = 1};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		return -errno;
	if (by_message)
		return answer(sendmsg(fd, &message, MSG_FASTOPEN));
	return answer(
	    sendto(fd, "here", 4, MSG_FASTOPEN, (struct sockaddr *)&address, sizeof(address)));
}

/* A port to listen on; 0: any. */
long reach_bind(int port)
{
	struct sockaddr_in address = {.sin_family = AF_INET,
	    .sin_port = htons((in_port_t)port),
	    .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (fd < 0)
		return -errno;
	return answer(bind(fd, (struct sockaddr *)&address, sizeof(address)));
}

/* Left open, so that it can be looked for. */
long reach_listen(void)
{
	return answer(listen(socket(AF_INET, SOCK_STREAM, 0), 1));
}

/* The 32-bit door: socketcall(SYS_SOCKET, {AF_NETLINK, SOCK_RAW, 0}). */
long reach_socketcall(void)
{
	int *arguments = mmap(
	    NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
	socklen_t length = sizeof(int);
	int domain;
	long result;

	if (arguments == MAP_FAILED)
		return -errno;
	arguments[0] = 16;
	arguments[1] = 3;
	arguments[2] = 0;
	__asm__ volatile("int $0x80" : "=a"(result) : "a"(102), "b"(1), "c"(arguments) : "memory");
	/* Without the door it is getuid, whose answer may be the number of a socket of rr's own. */
	if (getsockopt((int)result, SOL_SOCKET, SO_DOMAIN, &domain, &length) == 0 &&
	    domain == AF_NETLINK)
		return result;
	return -EBADF;
}

/* The limits of a process that is not ours. */
long reach_limits(int pid)
{
	struct rlimit limit = {0, 0};

	return answer(syscall(SYS_prlimit64, pid, RLIMIT_CORE, &limit, NULL));
}

/* Whether a process that is not ours could be signalled; nothing is sent. */
long reach_signal(int pid)
{
	return answer(syscall(SYS_tgkill, pid, pid, 0));
}

/* A process with these namespaces, which ends at once. */
static long made(long child)
{
	if (child == 0)
		syscall(SYS_exit_group, 0);
	return answer(child);
}

long reach_clone(unsigned long flags)
{
	return made(syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0));
}

long reach_clone3(unsigned long flags)
{
	struct clone_args arguments = {.flags = flags, .exit_signal = SIGCHLD};

	return made(syscall(SYS_clone3, &arguments, sizeof(arguments)));
}

long reach_unshare(unsigned long flags)
{
	return answer(syscall(SYS_unshare, flags));
}

/* Shared memory of the machine's. */
long reach_shared(int key)
{
	return answer(shmget(key, 0, 0));
}

/* The processors of a process that is not ours. */
long reach_processors(int pid)
{
	unsigned long first = 1;

	return answer(syscall(SYS_sched_setaffinity, pid, sizeof(first), &first));
}

/* A counter of a process, or of a whole processor. */
long reach_counter(int pid, int processor)
{
	struct perf_event_attr counter = {.type = PERF_TYPE_SOFTWARE,
	    .size = sizeof(counter),
	    .config = PERF_COUNT_SW_TASK_CLOCK,
	    .exclude_kernel = 1};

	return answer(syscall(SYS_perf_event_open, &counter, pid, processor, -1, 0));
}

/* A system call by the program's own instructions, at a place of rr's page: rr does not trace all
 * of them. */
long reach_call_at(long place, long number, long a, const char *b, long c)
{
	long result;

	__asm__ volatile("call *%[place]"
			 : "=a"(result)
			 : [place] "b"(place), "a"(number), "D"(a), "S"(b), "d"(c)
			 : "rcx", "r11", "memory");
	return result;
}

/* The files that it is given become files of its trace. */
int main(int argc, char **argv)
{
	for (int i = 1; i < argc; i++)
		(void)mmap(
		    NULL, 4096, PROT_READ, MAP_PRIVATE, open(argv[i], O_RDONLY | O_CLOEXEC), 0);
	puts("ready");
	return (int)strlen(misleading) == 0;
}
