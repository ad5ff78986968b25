/*
 * Nothing that goes back, or to somewhere, may answer otherwise than a plain run forward does.
 * A program of tests/programs/walks* is recorded and swept once a round; then a session walks about
 * at random, in both directions, and each answer must be the sweep's (walk.h).
 *
 * ORACLE_SECONDS is how long each program is walked in (6), ORACLE_SEED where chance begins (1). A
 * failure names the trace, which it leaves, and how to walk in it once more: ORACLE_TRACE,
 * ORACLE_ROUND and the seed.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"
#include "tests/e2e/walk.h"

#define WALKS_IN_ROUND 96 /* a recording and its sweep cost as much as a dozen walks */
#define WALKS_MIN      2  /* however slow the machine is */
#define LABEL_MAX      512

struct points {
	struct point points[WALK_POINTS + 1];
	struct walk_condition conditions[WALK_POINTS];
};

static const struct points in_c = {
    {{"touch", false}, {"set_text", false}, {"value", true}, {"*(unsigned *)&field", true},
	{"*(long *)&text[8]", true}, {NULL, false}},
    {{"round", 7}, {"who", 4}, {"value % 5", 6}, {"*(unsigned *)&field % 4", 4},
	{"text[8] - 'a'", 4}}};

/* The same with a part of a word: its neighbour's writes are none of its own. */
static const struct points in_c_part = {
    {{"touch", false}, {"set_text", false}, {"value", true}, {"field.high", true},
	{"*(long *)&text[8]", true}, {NULL, false}},
    {{"round", 7}, {"who", 4}, {"value % 5", 6}, {"field.high % 4", 4}, {"text[8] - 'a'", 4}}};

static const struct points in_classes = {
    {{"bank::Ledger::touch", false}, {"bank::Ledger::set_text", false}, {"ledger.value", true},
	{"ledger.field.low", true}, {"*(long *)&ledger.text[8]", true}, {NULL, false}},
    {{"round", 7}, {"who", 4}, {"ledger.value % 5", 6}, {"ledger.field.low % 4", 4},
	{"ledger.text[8] - 'a'", 4}}};

static const struct ground {
	const char *program, *how, *count;
	const struct points *points;
	bool innermost; /* of a fork tree: in the last process, not in the first */
} grounds[] = {
    {"walks_static", "threads", "1", &in_c, false},
    {"walks_static", "threads", "2", &in_c_part, false},
    {"walks", "threads", "4", &in_c, false},
    {"walks_optimized", "threads", "4", &in_c, false},
    {"walks_classes", "threads", "3", &in_classes, false},
    {"walks_static", "threads", "16", &in_c, false},
    {"walks_static", "forks", "3", &in_c_part, false},
    {"walks_static", "forks", "3", &in_c, true},
    {"walks_static", "signals", "4", &in_c, false},
};

#define GROUNDS ((int)(sizeof(grounds) / sizeof(*grounds)))

static long long from_environment(const char *name, long long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoll(text, NULL, 0) : otherwise;
}

/* Other chances in each ground and round. */
static unsigned long long chance_of(int ground, long long round)
{
	unsigned long long mix = (unsigned long long)from_environment("ORACLE_SEED", 1);

	return ((mix * 1009 + (unsigned)ground) * 1000003 + (unsigned long long)round) *
	       0x9e3779b97f4a7c15;
}

/* Every fourth recording is of a schedule that rr draws. */
static char *record(
    struct client *client, const struct ground *ground, const char *folder, long long round)
{
	const char *given = getenv("ORACLE_TRACE");
	char *trace = given ? strdup(given) : harness_path(folder, "trace");
	cleanup_free char *program = harness_program(ground->program);

	if (!given)
		client_tool_done(client, "rr_record", "{s:[s, s, s], s:s, s:b}", "command", program,
		    ground->how, ground->count, "trace_dir", trace, "chaos", round % 4 == 3);
	return trace;
}

/* The last process of a recording: of a fork tree the innermost child. */
static long long last_process(struct client *client, const char *trace)
{
	json_auto_t *answer = client_tool(client, "rr_ps", "{s:s}", "trace_dir", trace);
	size_t count = answer_count(answer, "processes");
	long long pid =
	    answer_number(json_array_get(answer_at(answer, "processes"), count - 1), "pid");

	return pid;
}

static void start(struct client *client, const char *trace, bool innermost)
{
	json_t *args = json_pack("{s:s}", "trace_dir", trace);

	if (innermost)
		json_object_set_new(args, "pid", json_integer(last_process(client, trace)));
	client_tool_done(client, "rr_replay_start", "o", args);
	if (!innermost)
		client_tool_done(client, "rr_continue", "{s:s}", "until", "main");
}

/* One recording and one session; returns the number of walks, and adds what was refused. */
static long walk_round(
    struct client *client, int number, long long round, double until, long *refused)
{
	const struct ground *ground = &grounds[number];
	char *folder = harness_scratch(0);
	char label[LABEL_MAX];
	cleanup_free char *trace = record(client, ground, folder, round);
	struct walker *walker;
	struct sweep *sweep;
	long walks = 0;
	bool more = true;

	snprintf(label, sizeof(label),
	    "ORACLE_SEED=%lld ORACLE_GROUND=%d ORACLE_ROUND=%lld ORACLE_TRACE=%s",
	    from_environment("ORACLE_SEED", 1), number, round, trace);
	start(client, trace, ground->innermost);
	sweep = sweep_make(client, ground->points->points);
	walker =
	    walker_new(client, sweep, ground->points->conditions, chance_of(number, round), label);
	while (more && walks < WALKS_IN_ROUND && (walks < WALKS_MIN || harness_now() < until)) {
		more = walker_walk(walker);
		walks += more;
	}
	*refused += walker_refused(walker);
	walker_free(walker);
	sweep_free(sweep);
	client_tool_done(client, "rr_replay_stop", NULL);
	harness_scratch_free(folder);
	return walks;
}

START_TEST(walks_agree_with_the_sweep)
{
	double until = harness_now() + (double)from_environment("ORACLE_SECONDS", 6);
	long long round = from_environment("ORACLE_ROUND", 0), first = round;
	long long only = from_environment("ORACLE_GROUND", _i);
	struct client *client;
	long walks = 0, refused = 0;

	if (only != _i)
		return;
	client = client_start(NULL);
	do
		walks += walk_round(client, _i, round++, until, &refused);
	while (harness_now() < until);
	client_end(client);
	printf("%s %s %s: seed %lld, %lld rounds, %ld walks, %ld moves, %ld refused\n",
	    grounds[_i].program, grounds[_i].how, grounds[_i].count,
	    from_environment("ORACLE_SEED", 1), round - first, walks, walks * MOVES_IN_WALK,
	    refused);
	ck_assert_int_le(refused, 1 + walks / 10);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("oracle");
	TCase *all = tcase_create("oracle");

	tcase_add_loop_test(all, walks_agree_with_the_sweep, 0, GROUNDS);
	tcase_set_timeout(
	    all, (double)from_environment("ORACLE_SECONDS", 6) + SCENE_TEST_TIMEOUT_S);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
