/*
 * Traces as tar files: written, read back, and forged in every way that a stranger might.
 */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "worker/trace/archive.h"
#include "worker/trace/trace.h"
#include "tests/runner.h"

static char base[64]; /* a fresh directory; cwd is in it */
static char why[ARCHIVE_WHY_MAX];
static struct archive_summary summary;

static void put(const char *path, const char *content)
{
	FILE *file = fopen(path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(content, file);
	fclose(file);
}

static void enter_base(void)
{
	static const char *const files[] = {"events", "data", "mmaps", "tasks", "mmap_pack_0_x"};
	char path[128];

	snprintf(base, sizeof(base), "/tmp/test_archive.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(base));
	ck_assert_int_eq(chdir(base), 0);
	ck_assert_int_eq(mkdir("bug-0", 0700), 0);
	for (size_t i = 0; i < sizeof(files) / sizeof(*files); i++) {
		snprintf(path, sizeof(path), "bug-0/%s", files[i]);
		put(path, files[i]);
	}
	put("bug-0/version", "85\nheader");
	ck_assert_int_eq(mkdir("to", 0700), 0);
	*why = '\0';
}

static void leave_base(void)
{
	char command[128];

	snprintf(command, sizeof(command), "rm -rf '%s'", base);
	ck_assert_int_eq(chdir("/"), 0);
	ck_assert_int_eq(system(command), 0);
}

static int open_directory(const char *path)
{
	int fd = open(path, O_RDONLY | O_DIRECTORY);

	ck_assert_int_ge(fd, 0);
	return fd;
}

static int writes(const char *name)
{
	int trace = open_directory("bug-0");
	int file = open("out.tar", O_RDWR | O_CREAT | O_TRUNC, 0600);
	int result = archive_write(trace, name, file, NULL, why);

	close(trace);
	close(file);
	return result;
}

static int checks(const char *path)
{
	int file = open(path, O_RDONLY);
	int result = archive_check(file, &summary, why);

	close(file);
	return result;
}

static int unpacks(const char *path)
{
	int file = open(path, O_RDONLY), to = open_directory("to");
	int result = archive_unpack(file, to, NULL, why);

	close(file);
	close(to);
	return result;
}

static bool is_there(const char *path)
{
	struct stat status;

	return lstat(path, &status) == 0;
}

/* Makes an archive with tar's own program and expects it to be refused. */
static void refuses(const char *command)
{
	ck_assert_msg(system(command) == 0, "%s", command);
	ck_assert_msg(checks("evil.tar") < 0, "taken: %s", command);
	ck_assert_msg(*why, "no reason: %s", command);
	ck_assert_msg(unpacks("evil.tar") < 0, "unpacked: %s", command);
}

START_TEST(a_trace_comes_back_as_it_was)
{
	ck_assert_int_eq(mkdir("bug-0/files.rr", 0700), 0);
	put("bug-0/files.rr/rr_git_revision", "abc");
	ck_assert_int_eq(truncate("bug-0/data", 100000), 0);
	ck_assert_int_eq(writes("bug-0"), 0);
	ck_assert_int_eq(checks("out.tar"), 0);
	ck_assert_str_eq(summary.name, "bug-0");
	ck_assert_uint_eq(summary.files, 7);
	ck_assert_int_eq(unpacks("out.tar"), 0);
	ck_assert_int_eq(system("diff -r bug-0 to"), 0);
	struct stat status;
	ck_assert_int_eq(stat("to/events", &status), 0);
	ck_assert_int_eq(status.st_mode & 07777, 0600);
}
END_TEST

static void expect_taken(void)
{
	ck_assert_int_eq(checks("out.tar"), 0);
	ck_assert_int_eq(unpacks("out.tar"), 0);
	ck_assert_int_eq(system("diff -r bug-0 to"), 0);
}

START_TEST(tar_itself_reads_what_is_written)
{
	char name[200] = "bug-0/mmap_pack_1_";

	memset(name + strlen(name), 'n', 150);
	put(name, "long name");
	ck_assert_int_eq(writes("bug-0"), 0);
	ck_assert_int_eq(system("tar -xf out.tar -C to && diff -r bug-0 to/bug-0"), 0);
	ck_assert_int_eq(system("rm -r to/bug-0"), 0);
	expect_taken();
}
END_TEST

START_TEST(an_archive_made_by_tar_is_taken)
{
	ck_assert_int_eq(system("tar -cf out.tar bug-0"), 0);
	expect_taken();
}
END_TEST

START_TEST(links_and_devices_are_refused)
{
	refuses("ln -s /etc/passwd bug-0/mmap_pack_9_x && tar -cf evil.tar bug-0 && "
		"rm bug-0/mmap_pack_9_x");
	refuses("ln bug-0/version bug-0/mmap_pack_9_x && tar -cf evil.tar bug-0 && "
		"rm bug-0/mmap_pack_9_x");
	refuses("mkfifo bug-0/mmap_pack_9_x && tar -cf evil.tar bug-0 && rm bug-0/mmap_pack_9_x");
	ck_assert(!is_there("to/mmap_pack_9_x"));
}
END_TEST

START_TEST(paths_that_lead_elsewhere_are_refused)
{
	put("passwd", "root");
	refuses(
	    "tar -cf evil.tar bug-0 && tar -rf evil.tar -P --transform 's,.*,../passwd,' passwd");
	refuses("tar -cf evil.tar bug-0 && tar -rf evil.tar -P --transform 's,.*,/tmp/p,' passwd");
	refuses("tar -cf evil.tar bug-0 && "
		"tar -rf evil.tar -P --transform 's,.*,bug-0/../passwd,' passwd");
	refuses("tar -cf evil.tar bug-0 && "
		"tar -rf evil.tar -P --transform 's,.*,bug-0/files.rr/../passwd,' passwd");
	refuses("tar -cf evil.tar bug-0 && "
		"tar -rf evil.tar -P --transform 's,.*,bug-0/mmap_copy_1_/x,' passwd");
	refuses("tar -cf evil.tar bug-0 && "
		"tar -rf evil.tar -P --transform 's,.*,other/events,' passwd");
	refuses("tar -cf evil.tar -P --transform 's,bug-0,..,' bug-0");
	ck_assert(!is_there("../passwd"));
}
END_TEST

START_TEST(a_trace_in_the_place_of_rr_s_link_is_refused)
{
	refuses("tar -cf evil.tar --transform 's,bug-0,latest-trace,' bug-0");
	ck_assert_ptr_nonnull(strstr(why, "cannot be called: latest-trace"));
}
END_TEST

START_TEST(files_that_no_trace_has_are_refused)
{
	refuses("touch bug-0/.bashrc && tar -cf evil.tar bug-0 && rm bug-0/.bashrc");
	refuses("touch bug-0/letter && tar -cf evil.tar bug-0 && rm bug-0/letter");
	refuses("mkdir bug-0/mmap_copy_0_d && tar -cf evil.tar bug-0 && rmdir bug-0/mmap_copy_0_d");
	refuses("tar -cf evil.tar bug-0/events");
	refuses("tar -cf evil.tar --exclude=version bug-0 && tar -rf evil.tar bug-0/letter "
		"2>/dev/null; "
		"touch bug-0/letter; tar -rf evil.tar bug-0/letter; rm bug-0/letter");
}
END_TEST

START_TEST(the_same_file_twice_is_not_written_over)
{
	ck_assert_int_eq(system("tar -cf out.tar bug-0 && tar -rf out.tar bug-0/events"), 0);
	ck_assert_int_lt(unpacks("out.tar"), 0);
}
END_TEST

START_TEST(a_link_in_the_place_of_a_file_is_not_followed)
{
	put("letter", "dear");
	ck_assert_int_eq(symlink("../letter", "to/events"), 0);
	ck_assert_int_eq(writes("bug-0"), 0);
	ck_assert_int_lt(unpacks("out.tar"), 0);
	ck_assert_int_eq(system("grep -q dear letter"), 0);
}
END_TEST

START_TEST(an_archive_that_breaks_off_anywhere_is_refused)
{
	struct stat status;

	ck_assert_int_eq(writes("bug-0"), 0);
	ck_assert_int_eq(stat("out.tar", &status), 0);
	for (off_t size = status.st_size - 1024; size >= 0; size -= 256) {
		ck_assert_int_eq(truncate("out.tar", size), 0);
		ck_assert_msg(checks("out.tar") < 0, "taken at %lld", (long long)size);
	}
}
END_TEST

/* Any outcome is fine, as long as nothing is made outside of `to`. */
START_TEST(flipped_bits_never_lead_out)
{
	struct stat status;

	ck_assert_int_eq(writes("bug-0"), 0);
	ck_assert_int_eq(stat("out.tar", &status), 0);
	for (off_t at = 0; at < status.st_size; at += 101) {
		int file = open("out.tar", O_RDWR);
		unsigned char byte, flipped;
		ck_assert_int_eq(pread(file, &byte, 1, at), 1);
		flipped = byte ^ (unsigned char)(1u << (at % 8));
		ck_assert_int_eq(pwrite(file, &flipped, 1, at), 1);
		checks("out.tar");
		unpacks("out.tar");
		ck_assert_int_eq(pwrite(file, &byte, 1, at), 1);
		close(file);
		ck_assert_int_eq(system("rm -rf to && mkdir to && test $(ls | wc -l) = 3"), 0);
	}
}
END_TEST

/* Headers with correct checksums and wrong contents. */
START_TEST(a_size_beyond_the_file_is_refused)
{
	static const char *const sizes[] = {"77777777777", "00000777777",
	    "\x80\0\0\0\x7f\xff\xff\xff\xff\xff\xff\xff",
	    "\x80\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", "9999", "-1"};

	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		unsigned char header[512] = "bug-0/events";
		unsigned sum = 0;
		memcpy(header + 124, sizes[i], sizes[i][0] == '\x80' ? 12 : strlen(sizes[i]));
		header[156] = '0';
		memcpy(header + 257, "ustar", 6);
		memset(header + 148, ' ', 8);
		for (size_t at = 0; at < sizeof(header); at++)
			sum += header[at];
		snprintf((char *)header + 148, 8, "%06o", sum);
		int file = open("evil.tar", O_WRONLY | O_CREAT | O_TRUNC, 0600);
		ck_assert_int_eq(write(file, header, sizeof(header)), sizeof(header));
		ck_assert_int_eq(ftruncate(file, 4096), 0);
		close(file);
		ck_assert_msg(checks("evil.tar") < 0, "size %s", sizes[i]);
	}
}
END_TEST

START_TEST(a_trace_with_a_link_in_it_is_not_exported)
{
	ck_assert_int_eq(symlink("/etc/passwd", "bug-0/mmap_pack_5_x"), 0);
	ck_assert_int_lt(writes("bug-0"), 0);
	ck_assert_ptr_nonnull(strstr(why, "mmap_pack_5_x"));
}
END_TEST

static bool stop_at_once(void *context, uint64_t bytes)
{
	(*(int *)context)++;
	return bytes == 0;
}

START_TEST(whoever_watches_may_stop_it)
{
	int calls = 0, trace = open_directory("bug-0");
	int file = open("out.tar", O_RDWR | O_CREAT, 0600);
	struct archive_watch watch = {stop_at_once, &calls};

	ck_assert_int_lt(archive_write(trace, "bug-0", file, &watch, why), 0);
	ck_assert_int_eq(calls, 1);
	close(trace);
	close(file);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    a_trace_comes_back_as_it_was,
	    tar_itself_reads_what_is_written,
	    an_archive_made_by_tar_is_taken,
	    links_and_devices_are_refused,
	    paths_that_lead_elsewhere_are_refused,
	    a_trace_in_the_place_of_rr_s_link_is_refused,
	    files_that_no_trace_has_are_refused,
	    the_same_file_twice_is_not_written_over,
	    a_link_in_the_place_of_a_file_is_not_followed,
	    an_archive_that_breaks_off_anywhere_is_refused,
	    flipped_bits_never_lead_out,
	    a_size_beyond_the_file_is_refused,
	    a_trace_with_a_link_in_it_is_not_exported,
	    whoever_watches_may_stop_it,
	    NULL,
	};

	return run_tests("archive", tests, enter_base, leave_base);
}
