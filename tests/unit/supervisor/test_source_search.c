/*
 * Where we look for a source file that is not where the debug information says. A list plays the
 * file system.
 */
#include <check.h>
#include <errno.h>
#include <limits.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include "supervisor/monitor/source_search.h"
#include "tests/runner.h"

struct disk {
	const char *const *files; /* NULL-terminated; their number is the descriptor */
	const char *closed;	  /* below it nothing may be opened */
	int tries;
};

static int open_listed(void *owner, const char *path)
{
	struct disk *disk = owner;

	disk->tries++;
	if (disk->closed && strncmp(path, disk->closed, strlen(disk->closed)) == 0) {
		errno = EACCES;
		return -1;
	}
	for (int i = 0; disk->files[i]; i++)
		if (strcmp(disk->files[i], path) == 0)
			return i;
	errno = ENOENT;
	return -1;
}

static int search(struct disk *disk, const char *program, const char *path)
{
	struct source_roots roots = {0};
	char found[PATH_MAX], directory[PATH_MAX];
	int fd;

	strlcpy(directory, program, sizeof(directory));
	*strrchr(directory, '/') = '\0';
	source_roots_of_directory(&roots, directory);
	fd = source_search(&roots, path, open_listed, disk, found);
	if (fd >= 0)
		ck_assert_str_eq(found, disk->files[fd]);
	return fd;
}

START_TEST(the_longest_tail_wins_whatever_the_root)
{
	static const char *const files[] = {
	    "/home/me/p/build/util.c", "/home/me/p/b/util.c", "/home/me/p/src/a/b/util.c", NULL};
	struct disk disk = {.files = files};

	ck_assert_int_eq(search(&disk, "/home/me/p/build/prog", "/ci/x/src/a/b/util.c"), 2);
	ck_assert_int_eq(search(&disk, "/home/me/p/build/prog", "/ci/x/q/b/util.c"), 1);
	ck_assert_int_eq(search(&disk, "/home/me/p/build/prog", "/ci/x/q/r/util.c"), 0);
}
END_TEST

START_TEST(a_name_alone_is_enough_only_beside_the_program)
{
	static const char *const files[] = {"/home/me/main.c", NULL};
	struct disk disk = {.files = files};

	ck_assert_int_eq(search(&disk, "/home/me/prog", "/ci/other/main.c"), 0);
	ck_assert_int_eq(search(&disk, "/home/me/p/prog", "/ci/other/main.c"), -1);
}
END_TEST

START_TEST(a_directory_that_was_named_is_looked_through)
{
	static const char *const files[] = {"/src/lib/z.c", NULL};
	struct disk disk = {.files = files};
	struct source_roots roots = {0};
	char found[PATH_MAX];

	source_roots_add(&roots, "/src/");
	source_roots_add(&roots, "relative");
	source_roots_add(&roots, "/");
	ck_assert_uint_eq(roots.count, 1);
	ck_assert_int_eq(source_search(&roots, "/ci/lib/z.c", open_listed, &disk, found), 0);
	ck_assert_str_eq(found, "/src/lib/z.c");
}
END_TEST

START_TEST(dots_lead_nowhere)
{
	static const char *const files[] = {"/p/a/z.c", "/etc/z.c", NULL};
	struct disk disk = {.files = files};

	ck_assert_int_eq(search(&disk, "/p/prog", "./x/../a/./z.c"), 0);
	ck_assert_int_eq(search(&disk, "/p/prog", "../../../etc/z.c"), -1);
	ck_assert_int_eq(search(&disk, "/p/prog", ""), -1);
	ck_assert_int_eq(search(&disk, "/p/prog", "../.."), -1);
}
END_TEST

START_TEST(what_may_not_be_opened_is_asked_for_once_and_tries_are_bounded)
{
	static const char *const files[] = {NULL};
	struct disk disk = {.files = files, .closed = "/"};
	char path[3000] = "";

	ck_assert_int_eq(search(&disk, "/a/b/c/d/prog", "/x/y/z/v/w.c"), -1);
	ck_assert_int_eq(disk.tries, 4);
	for (int i = 0; i < 1000; i++)
		strlcat(path, "/y", sizeof(path));
	disk = (struct disk){.files = files};
	ck_assert_int_eq(search(&disk, "/a/b/c/d/e/f/g/h/i/j/prog", path), -1);
	ck_assert_int_le(disk.tries, SOURCE_TRIES_MAX);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    the_longest_tail_wins_whatever_the_root,
	    a_name_alone_is_enough_only_beside_the_program,
	    a_directory_that_was_named_is_looked_through,
	    dots_lead_nowhere,
	    what_may_not_be_opened_is_asked_for_once_and_tries_are_bounded,
	    NULL,
	};

	return run_tests("source search", tests, NULL, NULL);
}
