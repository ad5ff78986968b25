/*
 * The process that writes --log: how much it takes of a worker that was taken over.
 */
#include <check.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "supervisor/monitor/log_writer.h"
#include "tests/runner.h"

#define MEGABYTE   (1L << 20)
#define LINE_BYTES 1000
#define LEFT_OUT   "this worker has written too much; its further lines are left out\n"

static char path[] = "/tmp/rr-warden-log.XXXXXX";
static struct settings *settings;

static void set_up(void)
{
	int fd = mkstemp(path);

	ck_assert_int_ge(fd, 0);
	close(fd);
	settings = settings_new();
}

static void tear_down(void)
{
	unlink(path);
	settings_free(settings);
}

/* Lines of a worker of its own, and then one more. */
static void write_as_worker(long bytes, const char *last)
{
	static char line[LINE_BYTES + 1];
	pid_t child = fork();
	int status;

	if (child == 0) {
		memset(line, 'x', LINE_BYTES - 1);
		line[LINE_BYTES - 1] = '\n';
		if (log_writer_join(LOG_SOURCE_WORKER) < 0)
			_exit(1);
		for (; bytes > 0; bytes -= LINE_BYTES)
			if (write(STDERR_FILENO, line, LINE_BYTES) != LINE_BYTES)
				_exit(1);
		_exit(dprintf(STDERR_FILENO, "%s\n", last) < 0);
	}
	ck_assert_int_eq(waitpid(child, &status, 0), child);
	ck_assert_int_eq(status, 0);
}

/* The end of the file, and its size. */
static long read_end(char *end, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	ssize_t got;

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(fstat(fd, &status), 0);
	got = pread(
	    fd, end, size - 1, status.st_size > (long)size ? status.st_size - (long)size + 1 : 0);
	ck_assert_int_ge(got, 0);
	end[got] = 0;
	close(fd);
	return status.st_size;
}

START_TEST(a_worker_cannot_fill_the_disk_nor_take_the_lines_of_others)
{
	char end[400];
	int finished = log_writer_start(path, settings);
	long size;

	ck_assert_int_ge(finished, 0);
	write_as_worker(20 * MEGABYTE, "no more");
	write_as_worker(0, "of another");
	log_writer_finish(finished);
	size = read_end(end, sizeof(end));
	ck_assert_int_ge(size, 16 * MEGABYTE);
	ck_assert_int_lt(size, 17 * MEGABYTE);
	ck_assert_msg(strstr(end, LEFT_OUT) != NULL, "%s", end);
	ck_assert_ptr_nonnull(strstr(end, "worker: of another\n"));
	ck_assert_ptr_null(strstr(end, "no more"));
}
END_TEST

START_TEST(a_log_for_bugs_takes_more)
{
	char end[400], why[SETTINGS_WHY_MAX];
	int finished;

	ck_assert_int_eq(settings_set(settings, SETTING_LOG_LEVEL, "gdb", SOURCE_FLAG, why), 0);
	finished = log_writer_start(path, settings);
	ck_assert_int_ge(finished, 0);
	write_as_worker(20 * MEGABYTE, "the last");
	log_writer_finish(finished);
	ck_assert_int_ge(read_end(end, sizeof(end)), 20 * MEGABYTE);
	ck_assert_ptr_nonnull(strstr(end, "worker: the last\n"));
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {a_worker_cannot_fill_the_disk_nor_take_the_lines_of_others, 1},
	    {a_log_for_bugs_takes_more, 1}, {NULL, 0}};

	return run_loops("log writer", tests, set_up, tear_down);
}
