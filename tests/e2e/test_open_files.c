/*
 * rr_open_files against what Linux said in the recorded run: the same descriptors are open, and
 * each is told with what it is and who opened it.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define DESCRIPTORS 900
#define LOOKED	    "looked"
#define BUILDS	    2				/* -O0 and -O2 */
#define LONG	    "tallied 900000000 counter" /* seconds, on any machine */

/* What is open; each is what /proc says of it, or NULL. Borrowed from the program's output. */
struct truth {
	char *output;
	const char *open[DESCRIPTORS];
	size_t count;
};

static void truth_free(struct truth *truth)
{
	free(truth->output);
}

#define cleanup_truth __attribute__((cleanup(truth_free)))

/* The nth time that the program looked. */
static struct truth truth_of(const json_t *recorded, int nth)
{
	struct truth truth = {.output = strdup(answer_text(recorded, "stdout"))};
	char *rest = truth.output, *line;

	while (nth > 0 && (line = strsep(&rest, "\n"))) {
		char *end;
		long fd = strncmp(line, "fd ", 3) == 0 ? strtol(line + 3, &end, 10) : -2;

		nth -= fd == -1;
		if (nth != 1 || fd < 0)
			continue;
		ck_assert_int_lt(fd, DESCRIPTORS);
		truth.open[fd] = end + 1;
		truth.count++;
	}
	ck_assert_uint_gt(truth.count, 0);
	return truth;
}

/* Hands over each number of "3, 5-7". */
static void expand(const char *numbers, const json_t *site, const json_t *told[DESCRIPTORS])
{
	for (const char *at = numbers; *at;) {
		char *end;
		long first = strtol(at, &end, 10), last = first;

		if (*end == '-')
			last = strtol(end + 1, &end, 10);
		for (long fd = first; fd <= last; fd++) {
			ck_assert_msg(
			    fd >= 0 && fd < DESCRIPTORS && !told[fd], "%ld in %s", fd, numbers);
			told[fd] = site;
		}
		at = end + strspn(end, ", ");
	}
}

static void expect_truth(const json_t *answer, const struct truth *truth)
{
	const json_t *told[DESCRIPTORS] = {0}, *site;
	cleanup_free char *text = json_dumps(answer, JSON_INDENT(1));
	size_t i;

	expect_number(answer, "descriptors", (long long)truth->count);
	json_array_foreach(json_object_get(answer, "sites"), i, site)
	    expand(answer_text(site, "descriptors"), site, told);
	for (int fd = 0; fd < DESCRIPTORS; fd++) {
		const char *what =
		    told[fd] ? json_string_value(json_object_get(told[fd], "what")) : NULL;

		ck_assert_msg(!told[fd] == !truth->open[fd], "%d: %s, in %.1500s", fd,
		    truth->open[fd] ? truth->open[fd] : "not open", text);
		/* A site with several kinds of them shows some. */
		if (what && !strchr(what, ';') && strncmp(truth->open[fd], "/etc", 4) == 0 &&
		    !strstr(what, "received") && !strstr(what, "below"))
			ck_assert_msg(strstr(what, truth->open[fd]), "%d: %s, not %s", fd, what,
			    truth->open[fd]);
	}
}

/* The places whose words begin so have so many together, and what one of them has is this. */
static void expect_site(const json_t *answer, const char *opened, long long count, const char *what)
{
	const json_t *site;
	cleanup_free char *text = json_dumps(answer, JSON_INDENT(1));
	long long sum = 0;
	bool found = false;
	size_t i;

	json_array_foreach(json_object_get(answer, "sites"), i, site)
	{
		if (strncmp(answer_text(site, "opened"), opened, strlen(opened)) != 0)
			continue;
		sum += json_integer_value(json_object_get(site, "count"));
		found |= strstr(answer_text(site, "what"), what) != NULL;
	}
	ck_assert_msg(
	    found && sum == count, "%s: not %lld, or no %s, in %.1500s", opened, count, what, text);
}

static const char *program_of(int build, bool classes)
{
	static const char *const names[] = {"opened", "opened_O2", "opened_cc", "opened_cc_O2"};

	return names[2 * classes + build];
}

/* Records, and goes to the nth look. */
static json_t *begin(struct place *place, int build, const char *argument, int nth)
{
	json_t *recorded =
	    client_record(place->client, place->trace, program_of(build, false), argument);

	free(client_replay(place->client, place->trace));
	client_tool_done(place->client, "rr_breakpoint_set", "{s:s}", "location", LOOKED);
	client_tool_done(place->client, "rr_continue", "{s:i}", "count", nth);
	return recorded;
}

START_TEST(every_kind_is_told)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = begin(&place, _i, "kinds", 1);
	cleanup_truth struct truth truth = truth_of(recorded, 1);
	json_auto_t *before = client_tool(place.client, "rr_when", NULL);
	json_auto_t *answer = client_tool(place.client, "rr_open_files", "{s:i}", "limit", 50);

	expect_truth(answer, &truth);
	expect_text(answer, "moment", answer_text(before, "moment"));
	ck_assert_ptr_null(json_object_get(answer, "others"));
	ck_assert_ptr_null(json_object_get(answer, "doubt"));
	expect_site(
	    answer, "open_pipe (", 1, "read end of a pipe (its write end is not open here)");
	expect_site(answer, "open_pair (", 2, "end of a socketpair (other end: 5)");
	expect_site(
	    answer, "listen_here (", 1, "IPv4 stream socket, bound to 127.0.0.1:0, listening");
	expect_site(answer, "connect_there (", 1, "IPv4 stream socket, connected to 127.0.0.1:");
	expect_site(
	    answer, "accept_one (", 1, "connection accepted by descriptor 6 from 127.0.0.1:");
	expect_site(answer, "bind_name (", 1, "Unix datagram socket, bound to @rr-warden-opened");
	expect_site(answer, "open_files (", 3, "directory /etc");
	expect_site(answer, "open_files (", 3, "file /etc/group");
	expect_site(answer, "open_files (", 3, "file passwd below descriptor 16");
	expect_site(answer, "copied by copy (", 5, "IPv4 stream socket, bound");
	expect_answer(
	    client_tool(place.client, "rr_when", NULL), "moment", answer_text(before, "moment"));
}
END_TEST

START_TEST(an_exec_closes_some)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = begin(&place, _i, "exec", 1);
	cleanup_truth struct truth truth = truth_of(recorded, 1);

	json_auto_t *answer = client_tool(place.client, "rr_open_files", "{s:i}", "limit", 50);
	expect_truth(answer, &truth);
	expect_site(answer, "open_pair (", 2, "end of a socketpair");
	ck_assert_ptr_null(json_object_get(answer, "doubt"));
	/* The program before is another one. */
	client_tool_refused(place.client, "rr_open_files", "invalid_argument", "{s:s}", "at", "20");
}
END_TEST

/* A child in the memory of its parent, which rr cannot pass with a breakpoint. */
START_TEST(a_child_of_vfork_stops_nothing)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = begin(&place, _i, "spawn", 1);
	cleanup_truth struct truth truth = truth_of(recorded, 1);

	json_auto_t *answer = client_tool(place.client, "rr_open_files", NULL);
	expect_truth(answer, &truth);
	expect_site(answer, "main (", 1, "read end of a pipe");
	expect_site(answer, "copied by main (", 1, "what the program began with as 1");
}
END_TEST

START_TEST(parent_and_child_have_their_own)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = begin(&place, _i, "family", 1);
	/* The child looks first. */
	cleanup_truth struct truth parent = truth_of(recorded, 2), child = truth_of(recorded, 1);
	const long long pid = answer_number(recorded, "processes.1.pid");

	json_auto_t *answer = client_tool(place.client, "rr_open_files", NULL);
	expect_truth(answer, &parent);
	expect_site(answer, "received by take_one (", 2, "received over descriptor 4");
	client_tool_done(place.client, "rr_replay_start", "{s:s, s:I}", "trace_dir", place.trace,
	    "pid", (json_int_t)pid);
	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location", LOOKED);
	client_tool_done(place.client, "rr_continue", NULL);
	json_auto_t *before = client_tool(place.client, "rr_when", NULL);
	json_auto_t *inherited = client_tool(place.client, "rr_open_files", NULL);
	expect_answer(
	    client_tool(place.client, "rr_when", NULL), "moment", answer_text(before, "moment"));
	expect_truth(inherited, &child);
	expect_within(inherited, "sites.1.opened", "from which this one was forked");
}
END_TEST

START_TEST(a_leak_is_the_growth_of_one_place)
{
	cleanup_place struct place place = place_open();
	json_auto_t *recorded = begin(&place, _i, "leaks", 1);
	json_auto_t *first = client_tool(place.client, "rr_when", NULL);
	const char *from = answer_text(first, "moment");

	client_tool_done(place.client, "rr_continue", NULL);
	cleanup_truth struct truth truth = truth_of(recorded, 2);
	json_auto_t *all = client_tool(place.client, "rr_open_files", NULL);
	expect_truth(all, &truth);
	expect_site(all, "leak (", 45, "file /etc/passwd; file /etc/group");
	json_auto_t *answer = client_tool(place.client, "rr_open_files", "{s:s}", "from", from);
	expect_number(answer, "opened", 40);
	expect_number(answer, "closed", 0);
	ck_assert_uint_eq(answer_count(answer, "sites"), 1);
	expect_site(answer, "leak (", 40, "file /etc/passwd; file /etc/group");
	expect_within(answer, "conclusion",
	    "8 descriptors open; at `from` it had 8: 40 opened since, 0 closed; the most: 40, "
	    "opened "
	    "by leak (");
	/* The program prints, and ends. */
	expect_all(client_tool(place.client, "rr_open_files", "{s:s}", "at", "end"),
	    NUMBER("descriptors", 48), ABSENT("doubt"));
	/* Its thread made the others. */
	expect_all(client_tool(place.client, "rr_open_files", "{s:s, s:i}", "at", from, "limit", 1),
	    NUMBER("descriptors", 8), COUNT("sites", 1),
	    HAS("sites.0.opened", "called by leak_too ("), HAS("others", "3 descriptors, opened"));
	client_tool_refused(place.client, "rr_open_files", "invalid_argument", "{s:s, s:s}", "at",
	    "start", "from", from);
	client_tool_refused(place.client, "rr_open_files", "invalid_argument", "{s:i}", "limit", 0);
	client_tool_refused(
	    place.client, "rr_open_files", "invalid_argument", "{s:s}", "at", "99999999");
}
END_TEST

START_TEST(streams_of_classes)
{
	cleanup_place struct place place = place_open();
	json_decref(client_record(place.client, place.trace, program_of(_i, true), NULL));
	free(client_replay(place.client, place.trace));
	expect_all(client_tool(place.client, "rr_open_files", NULL), NUMBER("descriptors", 3),
	    COUNT("sites", 1));
	client_tool_done(place.client, "rr_breakpoint_set", "{s:s}", "location", LOOKED);
	client_tool_done(place.client, "rr_continue", NULL);
	json_auto_t *answer = client_tool(place.client, "rr_open_files", "{s:s}", "from", "start");
	expect_number(answer, "opened", 5);
	expect_site(answer, "store::", 5, "file /etc/group");
	expect_number(answer, "sites.0.count", 4);
	expect_within(answer, "sites.0.opened", "called by store::load (");
}
END_TEST

START_TEST(one_that_is_cut_off_says_so)
{
	cleanup_scene struct scene scene = scene_open(LONG, NULL);

	expect_all(
	    client_tool(scene.client, "rr_open_files", "{s:s, s:i}", "at", "end", "deadline", 1),
	    HAS("cut_off", "give a longer deadline"), ABSENT("sites"));
	expect_alive(scene.client, scene.session);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {{every_kind_is_told, BUILDS}, {an_exec_closes_some, BUILDS},
	    {a_child_of_vfork_stops_nothing, BUILDS}, {parent_and_child_have_their_own, BUILDS},
	    {a_leak_is_the_growth_of_one_place, BUILDS}, {streams_of_classes, BUILDS},
	    {one_that_is_cut_off_says_so, 1}, {NULL, 0}};

	return scene_main_loops("open_files", tests, (const char *const[]){LONG, NULL});
}
