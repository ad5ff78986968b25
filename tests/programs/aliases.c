/*
 * The same memory at two addresses: a memfd mapped twice, anonymous memory doubled by mremap, a
 * System V segment attached twice. What is written at one address is read at the other at once, in
 * loops with branches in between. "private": also a private mapping of a file that is written
 * through a shared one, which rr itself does not replay.
 */
#define _GNU_SOURCE
#include <stdio.h>
#include <string.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/shm.h>
#include <unistd.h>

enum { SIZE = 2 * 4096, ROUNDS = 300 };

static int wrong;
static unsigned sum;

static void expect(unsigned is, unsigned should)
{
	if (is != should)
		wrong++;
	sum = sum * 31 + is;
}

/* Both can be written: they take turns. */
static void ping_pong(volatile unsigned *a, volatile unsigned *b)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned at = i * 7 % (SIZE / sizeof *a);

		if (i % 3) {
			a[at] = i;
			expect(b[at], i);
		} else {
			b[at] = ~i;
			expect(a[at], ~i);
		}
	}
}

static void read_only_alias(volatile unsigned *a, const volatile unsigned *b)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		unsigned before = b[i % 5];

		a[i % 5] = before + i;
		expect(b[i % 5], before + i);
	}
}

/* A private page shows what is shared until it is written. */
static void private_alias(volatile unsigned *shared, volatile unsigned *mine)
{
	for (unsigned i = 0; i < ROUNDS; i++) {
		shared[0] = i;
		if (i == ROUNDS / 2)
			mine[0] = 4711;
		expect(mine[0], i < ROUNDS / 2 ? i : 4711);
	}
	expect(shared[0], ROUNDS - 1);
}

static void *map(int fd, int protection, int flags)
{
	void *at = mmap(NULL, SIZE, protection, flags, fd, 0);

	if (at == MAP_FAILED)
		_exit(2);
	return at;
}

int main(int argc, char **argv)
{
	int fd = memfd_create("aliases", 0), segment = shmget(IPC_PRIVATE, SIZE, 0600);
	void *one, *other;

	if (fd < 0 || ftruncate(fd, SIZE) != 0 || segment < 0)
		return 2;
	one = map(fd, PROT_READ | PROT_WRITE, MAP_SHARED);
	ping_pong(one, map(fd, PROT_READ | PROT_WRITE, MAP_SHARED));
	read_only_alias(one, map(fd, PROT_READ, MAP_SHARED));
	if (argc > 1 && strcmp(argv[1], "private") == 0)
		private_alias(one, map(fd, PROT_READ | PROT_WRITE, MAP_PRIVATE));

	one = map(-1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS);
	other = mremap(one, 0, SIZE, MREMAP_MAYMOVE);
	if (other == MAP_FAILED)
		return 2;
	ping_pong(one, other);

	one = shmat(segment, NULL, 0);
	other = shmat(segment, NULL, 0);
	shmctl(segment, IPC_RMID, NULL);
	if (one == (void *)-1 || other == (void *)-1)
		return 2;
	ping_pong(one, other);

	printf("sum %u, wrong %d\n", sum, wrong);
	return wrong ? 1 : 0;
}
