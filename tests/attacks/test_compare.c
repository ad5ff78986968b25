/*
 * rr_compare_runs replays a second trace, which somebody else may have made, in the worker of the
 * first: as ourselves and as an ordinary user, with a home that is a directory and one that is a
 * link, with namespaces and without. The rr of the second one has been taken over.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/attacks/stage.h"

/* Says what it reaches and ends; goes on as rr where it reaches nothing. The second trace is at
 * "other"; the numbers of our processes are no secret. */
static const char script[] =
    "#!/bin/sh\n"
    "for last; do :; done\n"
    "reached() { echo \"[FATAL] reached $1\"; exit 1; }\n"
    "case $last in */other)\n"
    "	: <'%s/other/version' || reached nothing\n"
    "	for file in trace/version trace/events notes.txt .ssh/id_test work/.env; do\n"
    "		(: <\"%s/$file\") 2>/dev/null && reached $file\n"
    "	done\n"
    "	for place in other trace . work; do\n"
    "		(: >\"%s/$place/made\") 2>/dev/null && reached \"a new file in $place\"\n"
    "	done\n"
    "	for process in $PPID $(cat /proc/$PPID/task/$PPID/children); do\n"
    "		[ $process = $$ ] && continue\n"
    "		for entry in environ maps mem fd/0 fd/3 cwd root exe; do\n"
    "			readlink /proc/$process/$entry && reached $process/$entry\n"
    "			head -c 1 /proc/$process/$entry 2>/dev/null | grep -q . && "
    "reached $process/$entry\n"
    "		done\n"
    "		kill -0 $process 2>/dev/null && reached \"$process by a signal\"\n"
    "	done;;\n"
    "esac\n"
    "# the library of the counter has taken itself out of a shell's environment\n"
    "IFS='\n'\n" /* a path may hold spaces */
    "exec env $(tr '\\0' '\\n' </proc/$$/environ | grep -E '^(LD|RR)_') '%s' \"$@\"\n";

/* The real rr's path. */
static char *find_rr(void)
{
	char rr[512] = "";
	FILE *found = popen("command -v rr", "r");

	ck_assert(found && fgets(rr, sizeof(rr), found));
	pclose(found);
	rr[strcspn(rr, "\n")] = '\0';
	return strdup(rr);
}

/* In a directory of its own, because the directory of an rr of the user's is shown. */
static char *taken_over_rr(const struct stage *stage)
{
	char *path = harness_path(stage->folder, "tools/rr"), text[4 * TEXT];
	cleanup_free char *rr = find_rr();

	snprintf(text, sizeof(text), script, stage->home, stage->home, stage->home, rr);
	harness_shell("mkdir -m 755 '%s/tools'", stage->folder);
	harness_write_file(path, text);
	ck_assert_int_eq(chmod(path, 0755), 0);
	return path;
}

START_TEST(the_second_trace_reaches_nothing_of_the_first)
{
	char option[TEXT], other[TEXT];

	if (!stage_can_play(_i))
		return;
	struct stage stage = stage_open(_i, NULL, NULL);
	cleanup_free char *rr = taken_over_rr(&stage);

	json_decref(stage_record(&stage));
	client_end(stage.client);
	harness_shell("cd '%s' && cp -a trace other", stage.home);
	snprintf(other, sizeof(other), "%s/other", stage.home);
	snprintf(option, sizeof(option), "--rr=%s", rr);
	stage.client = stage_client(
	    &stage, _i, (const char *const[]){option, "--sandbox-net_ns=prefer", NULL}, NULL);
	json_auto_t *answer = client_tool(
	    stage.client, "rr_compare_runs", "{s:s, s:s}", "good", stage.trace, "bad", other);
	expect_within(answer, "conclusion", "both runs went the same way");
	harness_shell("cd '%s' && diff -r trace other && test ! -e made", stage.home);
	stage_close(&stage);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {the_second_trace_reaches_nothing_of_the_first, NULL};

	return stage_main("compare", tests);
}
