/*
 * Recordings on full disks: each in a small file system of its own, which only the server's mount
 * namespace has.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

struct disk {
	char *folder, *small, *trace;
	struct client *client;
};

/* A server that sees `small` as a file system of that size, filled when `full`. */
static struct disk disk_open(const char *size, bool full, const char *option, bool temporary)
{
	struct disk disk = {.folder = harness_scratch(0)};
	char script[1024], variable[512];
	const char *args[] = {"-Urm", "sh", "-c", script, "sh", harness_server(), option, NULL};
	const char *const environment[] = {variable, NULL};

	disk.small = harness_path(disk.folder, "small");
	disk.trace = harness_path(temporary ? disk.folder : disk.small, "trace");
	ck_assert_int_eq(mkdir(disk.small, 0700), 0);
	snprintf(script, sizeof(script),
	    "mount -t tmpfs -o size=%s,mode=700 small '%s' && %s && exec \"$@\"", size, disk.small,
	    full ? "! cat /dev/zero >\"$TEST_FILL\" 2>/dev/null" : "true");
	snprintf(variable, sizeof(variable), "%s=%s%s", temporary ? "RR_TMPDIR" : "TEST_FILL",
	    disk.small, temporary ? "" : "/fill");
	disk.client = client_start(&(struct client_options){
	    .server = "/usr/bin/unshare", .args = args, .env = environment, .show_stderr = true});
	return disk;
}

static void disk_close(struct disk *disk)
{
	client_end(disk->client);
	free(disk->small);
	free(disk->trace);
	harness_scratch_free(disk->folder);
}

static long long send_record(struct disk *disk, const char *script)
{
	return client_tool_send(disk->client, "rr_record",
	    json_pack(
		"{s:[s,s,s], s:s}", "command", "/bin/sh", "-c", script, "trace_dir", disk->trace));
}

/* The call fails with `limit`, names the full directory, and leaves no trace. */
static void expect_no_room(struct disk *disk, long long id)
{
	json_auto_t *failed = client_tool_failure(disk->client, id, "limit", HARNESS_TIMEOUT_S);
	const char *message = answer_text(failed, "message");

	ck_assert_msg(strstr(message, disk->small) != NULL, "%s", message);
	ck_assert_ptr_nonnull(answer_at(failed, "hint"));
	client_tool_refused(disk->client, "rr_ps", "not_found", "{s:s}", "trace_dir", disk->trace);
}

START_TEST(a_recording_that_would_leave_too_little_room_is_not_begun)
{
	struct disk disk = disk_open("100m", false, "--free-disk=200M", false);
	expect_no_room(&disk, send_record(&disk, "true"));
	disk_close(&disk);
}
END_TEST

START_TEST(a_recording_ends_while_there_is_room_to_close_its_trace)
{
	struct disk disk = disk_open("200m", false, "--free-disk=180M", false);
	expect_answer(
	    client_tool_result(disk.client,
		send_record(&disk, "head -c 2000m /dev/urandom | md5sum"), HARNESS_TIMEOUT_S),
	    "ended_by", "disk_space");
	client_tool_done(disk.client, "rr_ps", "{s:s}", "trace_dir", disk.trace);
	disk_close(&disk);
}
END_TEST

START_TEST(a_disk_that_fills_up_is_a_limit_and_leaves_no_trace)
{
	struct disk disk = disk_open("20m", false, "--free-disk=0", false);
	expect_no_room(&disk, send_record(&disk, "head -c 2000m /dev/urandom | md5sum"));
	disk_close(&disk);
}
END_TEST

START_TEST(a_disk_that_is_full_is_a_limit)
{
	struct disk disk = disk_open("1m", true, "--free-disk=0", false);
	expect_no_room(&disk, send_record(&disk, "true"));
	disk_close(&disk);
}
END_TEST

START_TEST(a_full_directory_for_temporary_files_is_named)
{
	struct disk disk = disk_open("200k", false, "--free-disk=0", true);
	expect_no_room(&disk, send_record(&disk, "true"));
	disk_close(&disk);
}
END_TEST

/* The program fills the directory itself, and rr needs room there for each new process. */
START_TEST(a_directory_for_temporary_files_that_fills_up_later_is_named)
{
	struct disk disk = disk_open("8m", false, "--free-disk=0", true);
	expect_no_room(&disk,
	    send_record(&disk, "cat /dev/zero >\"$RR_TMPDIR/fill\" 2>/dev/null; "
			       "for i in 1 2 3 4 5 6 7 8; do /bin/ls >/dev/null & done; wait"));
	disk_close(&disk);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {a_recording_that_would_leave_too_little_room_is_not_begun,
	    a_recording_ends_while_there_is_room_to_close_its_trace,
	    a_disk_that_fills_up_is_a_limit_and_leaves_no_trace, a_disk_that_is_full_is_a_limit,
	    a_full_directory_for_temporary_files_is_named,
	    a_directory_for_temporary_files_that_fills_up_later_is_named, NULL};

	if (system("unshare -Urm true 2>/dev/null") != 0) {
		puts("skipped: no user namespaces here, so no small file systems");
		return 0;
	}
	return scene_main("disk", tests, (const char *const[]){NULL});
}
