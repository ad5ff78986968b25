/*
 * Copies a wrong record with memcpy, notices that it is wrong, and exits with status 3.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct record {
	long id, size;
	char name[48];
};

static struct record record = {1, 64, "first"};

static void load(struct record *to, const struct record *from)
{
	volatile size_t length = sizeof(*to); /* so that memcpy is called */

	memcpy(to, from, length);
}

static void fail(const char *why, int status)
{
	printf("cannot go on: %s\n", why);
	fflush(stdout);
	exit(status);
}

static void check(const struct record *checked)
{
	const struct record *seen = checked;

	if (seen->id <= 0)
		fail("bad id", 3);
}

int main(void)
{
	struct record next = {-7, 64, "second"};

	printf("record %ld\n", record.id);
	load(&record, &next);
	check(&record);
	return 0;
}
