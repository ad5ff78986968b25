/*
 * Takes a stream byte by byte into one variable, in each of the ways in which the kernel gives a
 * byte, and counts those that are not what the stream has. In it are bytes that are instructions to
 * a debugger (int3), between others that come again.
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define LENGTH 300

static const unsigned char values[] = {'e', 0xcc, 0x81, 0, 0xcc, 0xcd, 0xff};
static unsigned char stream[LENGTH], byte;
static int ends[2];
volatile int wrong, taken;

static ssize_t by_read(void)
{
	return read(ends[0], &byte, 1);
}

static ssize_t by_vector(void)
{
	struct iovec part = {&byte, 1};

	return readv(ends[0], &part, 1);
}

static ssize_t by_receive(void)
{
	return recv(ends[0], &byte, 1, 0);
}

static ssize_t by_message(void)
{
	struct iovec part = {&byte, 1};
	struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};

	return recvmsg(ends[0], &message, 0);
}

/* The writer is slow, so that the reader has to wait for some. */
static void write_all(void)
{
	for (int i = 0; i < LENGTH; i++) {
		if (write(ends[1], &stream[i], 1) != 1)
			_exit(1);
		if (i % 16 == 0)
			usleep(1000);
	}
	_exit(0);
}

static void take_all(ssize_t take(void))
{
	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) < 0)
		abort();
	if (fork() == 0)
		write_all();
	for (int i = 0; i < LENGTH; i++, taken++)
		if (take() != 1 || byte != stream[i])
			wrong++;
	wait(NULL);
	close(ends[0]);
	close(ends[1]);
}

int main(void)
{
	unsigned chance = 1;

	for (int i = 0; i < LENGTH; i++) {
		chance = chance * 1103515245 + 12345;
		stream[i] = values[(chance >> 16) % sizeof(values)];
	}
	take_all(by_read);
	take_all(by_vector);
	take_all(by_receive);
	take_all(by_message);
	printf("%d taken, %d wrong\n", taken, wrong);
	return wrong != 0;
}
