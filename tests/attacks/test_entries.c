/*
 * System calls by the replayed program's own instructions, at every entry of rr's page. Some of
 * them rr does not trace: only the sandbox stands between them and the machine.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include "tests/attacks/stage.h"

/* As rr's preload_interface.h has them: entries of three bytes. The others do nothing in a replay.
 */
#define PAGE	0x70000000L
#define ENTRIES 8
#define ENTRY	3

START_TEST(no_entry_of_rrs_page_leads_out)
{
	static const char *const args[] = {"--allow-calls", "--sandbox-net_ns=prefer", NULL};
	int made = 0;

	if (!stage_can_play(_i) || _i & LINKED_HOME)
		return;
	struct stage stage = stage_open(_i, args, NULL);
	stage_replay(&stage);
	for (long place = PAGE; place < PAGE + (long)ENTRIES * ENTRY; place += ENTRY) {
		if (stage_tried(&stage, "reach_call_at(%ld, %d, %d, \"/usr\", %d)", place,
			SYS_openat, AT_FDCWD, O_RDONLY) <= 0)
			continue;
		made++;
		expect_refused("a secret",
		    stage_tried(&stage, "reach_call_at(%ld, %d, %d, \"%s/notes.txt\", %d)", place,
			SYS_openat, AT_FDCWD, stage.home, O_RDONLY));
		expect_refused("its own trace",
		    stage_tried(&stage, "reach_call_at(%ld, %d, %d, \"%s/version\", %d)", place,
			SYS_openat, AT_FDCWD, stage.trace, O_WRONLY));
		expect_refused(
		    "a namespace", stage_tried(&stage, "reach_call_at(%ld, %d, %d, \"\", 0)", place,
				       SYS_unshare, 0x10000000));
	}
	ck_assert_int_ge(made, 4); /* or it shows nothing */
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {no_entry_of_rrs_page_leads_out, NULL};

	return stage_main("entries", tests);
}
