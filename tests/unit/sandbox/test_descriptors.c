/*
 * Packets that bring descriptors: exactly the expected ones arrive, and no other stays open.
 */
#include <check.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>
#include "sandbox/wire/descriptors.h"
#include "tests/runner.h"

static int ends[2];
static const int sent[DESCRIPTORS_MAX] = {0, 1};

static void open_pair(void)
{
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
}

static void close_pair(void)
{
	close(ends[0]);
	close(ends[1]);
}

/* The number that the next descriptor gets. It stays the same if none is left open. */
static int next_free(void)
{
	int fd = dup(0);

	close(fd);
	return fd;
}

/* Sends `count` descriptors to a receiver that expects `expected`. */
static void pass(size_t count, size_t expected, int fds[DESCRIPTORS_MAX])
{
	char byte = 'x', got = 0;

	ck_assert_int_eq(descriptors_send(ends[0], &byte, 1, sent, count), 1);
	ck_assert_int_eq(descriptors_receive(ends[1], &got, 1, 0, fds, expected), 1);
	ck_assert_int_eq(got, byte);
}

static void expect_none(size_t count, size_t expected)
{
	int fds[DESCRIPTORS_MAX], before = next_free();

	pass(count, expected, fds);
	for (size_t i = 0; i < expected; i++)
		ck_assert_int_eq(fds[i], -1);
	ck_assert_int_eq(next_free(), before);
}

START_TEST(the_expected_descriptors_arrive_and_close_on_exec)
{
	for (size_t count = 1; count <= DESCRIPTORS_MAX; count++) {
		int fds[DESCRIPTORS_MAX];

		pass(count, count, fds);
		for (size_t i = 0; i < count; i++) {
			ck_assert_int_eq(fcntl(fds[i], F_GETFD), FD_CLOEXEC);
			close(fds[i]);
		}
	}
}
END_TEST

START_TEST(more_descriptors_than_expected_are_closed)
{
	expect_none(1, 0);
	expect_none(2, 1);
}
END_TEST

START_TEST(fewer_descriptors_than_expected_are_closed)
{
	expect_none(0, 1);
	expect_none(1, 2);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    the_expected_descriptors_arrive_and_close_on_exec,
	    more_descriptors_than_expected_are_closed,
	    fewer_descriptors_than_expected_are_closed,
	    NULL,
	};

	return run_tests("descriptors", tests, open_pair, close_pair);
}
