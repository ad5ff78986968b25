/*
 * Reads from a connection after it has looked at what is there, and fills a name up behind its end:
 * where the bytes come from is less than it seems.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/types.h>
#include <unistd.h>

char taken[16], sent[16], filled[16], told[sizeof(struct signalfd_siginfo)];
static char name[16];
static struct sockaddr_in address;

__attribute__((noipa)) static void look(void)
{
}

static void *send_text(void *nothing)
{
	int fd = socket(AF_INET, SOCK_STREAM, 0);

	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
	    write(fd, "abcdefgh", 8) != 8)
		perror("send");
	return nothing;
}

static void take_text(void)
{
	socklen_t size = sizeof(address);
	int server = socket(AF_INET, SOCK_STREAM, 0), fd;
	struct iovec first = {sent, 4};
	struct msghdr message = {.msg_iov = &first, .msg_iovlen = 1};
	pthread_t thread;

	address.sin_family = AF_INET;
	address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	if (bind(server, (struct sockaddr *)&address, size) < 0 || listen(server, 1) < 0 ||
	    getsockname(server, (struct sockaddr *)&address, &size) < 0)
		perror("listen");
	pthread_create(&thread, NULL, send_text, NULL);
	fd = accept(server, NULL, NULL);
	pthread_join(thread, NULL);
	if (recv(fd, sent, 3, MSG_PEEK) != 3 || recvmsg(fd, &message, MSG_PEEK) != 4 ||
	    read(fd, sent, 2) != 2 || read(fd, taken, 6) != 6) /* the read */
		perror("take");
}

static void take_signal(void)
{
	sigset_t set;
	int fd;

	sigemptyset(&set);
	sigaddset(&set, SIGUSR1);
	sigprocmask(SIG_BLOCK, &set, NULL);
	fd = signalfd(-1, &set, 0);
	kill(getpid(), SIGUSR1);
	if (read(fd, told, sizeof(told)) != sizeof(told))
		perror("signal");
}

__attribute__((noipa)) static void fill_up(const char *text)
{
	strncpy(filled, text, sizeof(filled)); /* the filling */
}

int main(void)
{
	strcpy(name, "a longer name");
	name[9] = 0; /* what is not copied */
	name[2] = 0;
	memset(filled, 'x', sizeof(filled));
	fill_up(name);
	take_text();
	take_signal();
	look();
	return taken[0] != 'c' || filled[9] != 0;
}
