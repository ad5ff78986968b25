#ifndef TESTS_UNIT_SANDBOX_CHILD_H
#define TESTS_UNIT_SANDBOX_CHILD_H
/*
 * Expectations inside a confined child, which cannot report to Check itself.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

/* In a child: ends it with the number of the expectation that failed. */
#define EXPECT(condition)                                                                          \
	do {                                                                                       \
		if (!(condition)) {                                                                \
			dprintf(2, "line %d: %s (errno %d)\n", __LINE__, #condition, errno);       \
			_exit(1);                                                                  \
		}                                                                                  \
	} while (0)

static inline int reap(pid_t child)
{
	int status;

	ck_assert_int_eq(waitpid(child, &status, 0), child);
	return status;
}

static inline void passed(pid_t child)
{
	ck_assert_int_eq(reap(child), 0);
}

#endif
