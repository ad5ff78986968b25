/*
 * What is recorded in the background.
 *
 *	background echo		reads lines until its input ends, and says each; ignores SIGHUP
 *	background serve	a server that forks for each connection, until SIGINT or SIGTERM
 *	background many		has many processes, which all wait
 *	background slow		takes 3 s to clean up after SIGTERM
 */
#define _GNU_SOURCE /* ppoll */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile sig_atomic_t ended_by;

static void end(int signal)
{
	ended_by = signal;
}

static int echo(void)
{
	char line[64];
	int lines = 0;

	signal(SIGHUP, SIG_IGN);
	while (fgets(line, sizeof line, stdin)) {
		lines++;
		printf("read %s", line);
	}
	printf("%d lines\n", lines);
	return lines;
}

static void answer(int connection, const char *text, size_t length)
{
	printf("asked %s\n", text);
	if (write(connection, text, length) < 0)
		perror("write");
}

static int talk(int connection)
{
	char text[64] = "";
	ssize_t got = read(connection, text, sizeof text - 1);

	if (got > 0)
		answer(connection, text, (size_t)got);
	return 0;
}

static int serve(void)
{
	struct sigaction action = {.sa_handler = end};
	struct sockaddr_in address = {
	    .sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
	socklen_t size = sizeof address;
	int server = socket(AF_INET, SOCK_STREAM, 0);
	struct pollfd waits = {.fd = server, .events = POLLIN};
	sigset_t as_before, ending;

	/* They come only while it waits: one just before that would wake nobody. */
	sigemptyset(&ending);
	sigaddset(&ending, SIGINT);
	sigaddset(&ending, SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, &as_before);
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	if (bind(server, (struct sockaddr *)&address, size) < 0 || listen(server, 4) < 0 ||
	    getsockname(server, (struct sockaddr *)&address, &size) < 0) {
		perror("listen");
		return 1;
	}
	printf("port %d\n", ntohs(address.sin_port));
	while (!ended_by) {
		if (ppoll(&waits, 1, NULL, &as_before) < 1)
			continue;
		int connection = accept(server, NULL, NULL);
		if (fork() == 0)
			return talk(connection);
		close(connection);
		wait(NULL);
	}
	printf("ended by signal %d\n", (int)ended_by);
	return 0;
}

static int many(void)
{
	for (int i = 0; i < 250; i++)
		while (fork() == 0)
			for (;;)
				pause();
	printf("all wait\n");
	for (;;)
		pause();
}

static long long now_ms(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000LL + now.tv_nsec / 1000000;
}

static int slow(void)
{
	sigset_t ending;
	int signal;

	sigemptyset(&ending);
	sigaddset(&ending, SIGTERM);
	sigprocmask(SIG_BLOCK, &ending, NULL);
	printf("waits\n");
	sigwait(&ending, &signal);
	for (long long until = now_ms() + 3000; now_ms() < until;)
		;
	printf("cleaned up after signal %d\n", signal);
	return 0;
}

int main(int argc, char *argv[])
{
	setvbuf(stdout, NULL, _IOLBF, 0);
	if (argc > 1 && strcmp(argv[1], "many") == 0)
		return many();
	if (argc > 1 && strcmp(argv[1], "slow") == 0)
		return slow();
	return argc > 1 && strcmp(argv[1], "serve") == 0 ? serve() : echo();
}
