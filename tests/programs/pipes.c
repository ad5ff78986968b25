/*
 * Values that come through pipes and sockets from other processes. The argument says how; the
 * process that reads comes to look() with what it got. Comments name lines for the test.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define PIECE 20 /* bytes of a read, which are fewer than an order has */

struct order {
	long id;
	int price;
	char name[12];
};

static struct order orders[4];

static void must(int ok)
{
	if (!ok)
		_exit(1);
}

static struct order make_order(long id, int count)
{
	struct order order = {.id = id};

	order.price = count * 17; /* pipes: price */
	strcpy(order.name, "order");
	return order;
}

static void send_order(int fd, long id, int count)
{
	struct order order = make_order(id, count);

	must(write(fd, &order, sizeof(order)) == sizeof(order)); /* pipes: write */
}

__attribute__((noinline)) static void look(const struct order *order)
{
	printf("%ld %d\n", order->id, order->price);
	fflush(stdout);
}

/* In pieces, to the end. */
static void read_all(int fd)
{
	ssize_t got;
	size_t length = 0;

	while ((got = read(fd, (char *)orders + length, PIECE)) > 0) /* pipes: read */
		length += (size_t)got;
}

static void up(void)
{
	int ends[2];

	must(pipe(ends) == 0);
	if (fork() == 0) {
		close(ends[0]);
		for (int i = 1; i < 4; i++)
			send_order(ends[1], 100 + i, i);
		_exit(0);
	}
	close(ends[1]);
	read_all(ends[0]);
	look(&orders[1]);
}

static void down(void)
{
	int ends[2];

	must(pipe(ends) == 0);
	if (fork() == 0) {
		close(ends[1]);
		read_all(ends[0]);
		look(&orders[2]);
		_exit(0);
	}
	for (int i = 1; i < 4; i++)
		send_order(ends[1], 100 + i, i);
	close(ends[1]);
}

/* Two children write in turns. */
static void two(void)
{
	int ends[2], done[2], go[2][2];
	char byte = 0;

	must(pipe(ends) == 0 && pipe(done) == 0 && pipe(go[0]) == 0 && pipe(go[1]) == 0);
	for (int child = 0; child < 2; child++) {
		if (fork() != 0)
			continue;
		for (int i = 0; i < 2; i++) {
			must(read(go[child][0], &byte, 1) == 1);
			send_order(ends[1], 10 * child, 10 * child + i + 1);
			must(write(done[1], &byte, 1) == 1);
		}
		_exit(0);
	}
	for (int i = 0; i < 4; i++)
		must(write(go[i % 2][1], &byte, 1) == 1 && read(done[0], &byte, 1) == 1);
	must(read(ends[0], orders, sizeof(orders)) == sizeof(orders));
	look(&orders[3]);
}

/* Descriptors under other numbers, and numbers that are used again. */
static void copies(void)
{
	int ends[2], other[2], reader, writer;

	must(pipe(ends) == 0);
	send_order(ends[1], 1, 1);
	must((reader = dup(ends[0])) >= 0 && (writer = fcntl(ends[1], F_DUPFD, 30)) == 30);
	close(ends[0]);
	close(ends[1]);
	must(pipe(other) == 0); /* has the numbers of the other one */
	send_order(other[1], 2, 2);
	send_order(writer, 3, 3);
	must(read(other[0], &orders[3], sizeof(*orders)) == sizeof(*orders));
	must(dup2(reader, other[0]) == other[0]);
	must(read(other[0], orders, 2 * sizeof(*orders)) == 2 * sizeof(*orders));
	look(&orders[1]);
}

/* The answer has a number of the question. */
static void sockets(void)
{
	int ends[2];
	long asked;

	must(socketpair(AF_UNIX, SOCK_STREAM, 0, ends) == 0);
	if (fork() == 0) {
		must(recv(ends[1], &asked, sizeof(asked), 0) == sizeof(asked)); /* pipes: asked */
		send_order(ends[1], asked, 5);
		_exit(0);
	}
	asked = 4711; /* pipes: question */
	must(send(ends[0], &asked, sizeof(asked), 0) == sizeof(asked));
	must(recv(ends[0], orders, sizeof(*orders), 0) == sizeof(*orders));
	look(&orders[0]);
}

/* The child sends what its parent had before the fork. */
static void inherited(int count)
{
	static long before;
	int ends[2];

	before = count + 40; /* pipes: before */
	must(pipe(ends) == 0);
	if (fork() == 0) { /* pipes: fork */
		send_order(ends[1], before, 1);
		_exit(0);
	}
	must(read(ends[0], orders, sizeof(*orders)) == sizeof(*orders));
	look(&orders[0]);
}

static void pass_signal(int number)
{
	(void)number;
}

/* A signal comes before the bytes, most likely while the read waits for them. */
static void interrupted(void)
{
	int ends[2];

	must(pipe(ends) == 0 && signal(SIGUSR1, pass_signal) != SIG_ERR);
	if (fork() == 0) {
		for (volatile long i = 0; i < 3000000; i++)
			;
		kill(getppid(), SIGUSR1);
		send_order(ends[1], 12, 12);
		_exit(0);
	}
	must(read(ends[0], orders, sizeof(*orders)) == sizeof(*orders));
	look(&orders[0]);
}

/* The child becomes another program, whose standard output is the pipe. */
static void exec(void)
{
	int ends[2];

	must(pipe2(ends, O_CLOEXEC) == 0);
	if (fork() == 0) {
		must(dup2(ends[1], 1) == 1);
		execl("/proc/self/exe", "pipes", "maker", NULL);
		_exit(1);
	}
	close(ends[1]);
	read_all(ends[0]);
	look(&orders[0]);
}

/* From one child to another, which passes it on in pieces. */
static void relay(void)
{
	int first[2], second[2];

	must(pipe(first) == 0 && pipe(second) == 0);
	if (fork() == 0) {
		send_order(first[1], 7, 7);
		_exit(0);
	}
	if (fork() == 0) {
		must(read(first[0], &orders[2], sizeof(*orders)) == sizeof(*orders));
		struct iovec pieces[2] = {{&orders[2], 4}, {(char *)&orders[2] + 4, 20}};
		must(writev(second[1], pieces, 2) == sizeof(*orders)); /* pipes: relay */
		_exit(0);
	}
	must(read(second[0], orders, sizeof(*orders)) == sizeof(*orders));
	look(&orders[0]);
}

/* The kernel moves the bytes from one pipe to another. */
static void spliced(void)
{
	int first[2], second[2];

	must(pipe(first) == 0 && pipe(second) == 0);
	send_order(first[1], 8, 8);
	must(splice(first[0], NULL, second[1], NULL, sizeof(*orders), 0) == sizeof(*orders));
	must(read(second[0], orders, sizeof(*orders)) == sizeof(*orders));
	look(&orders[0]);
}

/* One pipe opened again by name, through which bytes go that nobody counts. */
static void again(void)
{
	int ends[2], other;
	char name[40];

	must(pipe(ends) == 0);
	snprintf(name, sizeof(name), "/proc/self/fd/%d", ends[1]);
	must((other = open(name, O_WRONLY)) >= 0);
	send_order(other, 9, 9);
	send_order(ends[1], 10, 10);
	must(read(ends[0], orders, 2 * sizeof(*orders)) == 2 * sizeof(*orders));
	look(&orders[0]);
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		void (*run)(void);
	} ways[] = {{"up", up}, {"down", down}, {"two", two}, {"copies", copies},
	    {"sockets", sockets}, {"exec", exec}, {"relay", relay}, {"spliced", spliced},
	    {"again", again}, {"interrupted", interrupted}};

	if (argc > 1 && strcmp(argv[1], "maker") == 0)
		send_order(1, 6, 6);
	if (argc > 1 && strcmp(argv[1], "inherited") == 0)
		inherited(argc);
	for (size_t i = 0; argc > 1 && i < sizeof(ways) / sizeof(*ways); i++)
		if (strcmp(argv[1], ways[i].name) == 0)
			ways[i].run();
	while (wait(NULL) > 0)
		;
	return 0;
}
