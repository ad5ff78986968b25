/*
 * Nothing that goes back, or to somewhere, may answer otherwise than a plain run forward does.
 * tests/programs/walks.c is swept once; then a session walks about at random, in both directions,
 * with points set and removed, with conditions and counts, and each answer must be the sweep's.
 *
 * ORACLE_SECONDS is how long each program is walked in (8), ORACLE_SEED where chance begins (1).
 */
#include <check.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"
#include "tests/e2e/sweep.h"
#include "tests/runner.h"

#define STEPS_IN_WALK	8
#define WALKS_MIN	2 /* however slow the machine is */
#define CHECKPOINTS_MAX 4
#define HISTORY_MAX	8192

static const struct point points[] = {
    {"touch", false},
    {"set_text", false},
    {"value", true},
    {"*(unsigned *)&field", true},
    {"*(long *)&text[8]", true},
    {NULL, false},
};

enum { TOUCH, SET_TEXT, VALUE, FIELD, TEXT, POINTS };

/* What a point may be set to stop for only: where a number is the one that was drawn from so many.
 */
static const struct {
	const char *number;
	unsigned below; /* some are never reached */
} conditions[POINTS] = {
    [TOUCH] = {"round", 7},
    [SET_TEXT] = {"who", 4},
    [VALUE] = {"value % 5", 6},
    [FIELD] = {"*(unsigned *)&field % 4", 4},
    [TEXT] = {"text[8] - 'a'", 4},
};

/* Where the session stands among the hits: behind hit `behind`, before hit `ahead`. Of those
 * between the two it is on one, or it is not known where it stands among them. */
struct whereabouts {
	int behind, ahead;
	bool on; /* exactly on the one between the two */
};

struct walker {
	struct client *client;
	struct sweep *sweep;
	unsigned long long chance;
	struct whereabouts at;
	long long numbers[POINTS]; /* 0: not set */
	long long only[POINTS];	   /* the number in its condition; -1: it has none */
	struct {
		long long id;
		struct whereabouts at;
	} checkpoints[CHECKPOINTS_MAX];
	size_t checkpoint_count;
	char history[HISTORY_MAX];
	size_t history_length;
	long walks, moves;
};

static const struct walker *walking;

/* A call that fails ends the process: the walk is told all the same. */
static void tell_walk(int signal)
{
	static const char told[] = "the walk:";

	(void)signal;
	if (!walking || write(STDERR_FILENO, told, sizeof(told) - 1) < 0 ||
	    write(STDERR_FILENO, walking->history, walking->history_length) < 0)
		return;
}

static long long from_environment(const char *name, long long otherwise)
{
	const char *text = getenv(name);

	return text && *text ? strtoll(text, NULL, 0) : otherwise;
}

static unsigned draw(struct walker *walker, unsigned below)
{
	walker->chance ^= walker->chance << 13;
	walker->chance ^= walker->chance >> 7;
	walker->chance ^= walker->chance << 17;
	return (unsigned)(walker->chance >> 33) % below;
}

static void note(struct walker *walker, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
static void note(struct walker *walker, const char *format, ...)
{
	va_list arguments;

	if (walker->history_length + 200 > HISTORY_MAX)
		return;
	va_start(arguments, format);
	walker->history_length +=
	    (size_t)vsnprintf(walker->history + walker->history_length, 200, format, arguments);
	va_end(arguments);
}

static void disagree(struct walker *walker, const char *what, int hit, const json_t *answer)
{
	const struct hit *expected =
	    hit >= 0 && hit < (int)walker->sweep->hit_count ? &walker->sweep->hits[hit] : NULL;
	char *shown = answer_show(answer);

	harness_fail("%s: expected hit %d (point %d at %lld:%lld of %lld, %s -> %s), "
		     "standing in (%d, %d); got %s",
	    what, hit, expected ? expected->point : 0, expected ? expected->at.event : 0,
	    expected ? expected->at.ticks : 0, expected ? expected->at.tid : 0,
	    expected ? expected->old : "", expected ? expected->new : "", walker->at.behind,
	    walker->at.ahead, shown);
}

/* The number that a condition compares, at that hit: of a write, behind it. */
static long long compared(const struct hit *hit)
{
	long long new = strtoll(hit->new, NULL, 0);
	const long long numbers[POINTS] = {
	    [TOUCH] = hit->round,
	    [SET_TEXT] = hit->who,
	    [VALUE] = new % 5,
	    [FIELD] = new % 4,
	    [TEXT] = (signed char)(new & 0xff) - 'a',
	};

	return numbers[hit->point];
}

static bool is_active(const struct walker *walker, int hit)
{
	const struct hit *one = &walker->sweep->hits[hit];

	if (one->point == POINT_SIGNAL)
		return true;
	return walker->numbers[one->point] &&
	       (walker->only[one->point] < 0 || compared(one) == walker->only[one->point]);
}

/* The first hit from `from` on in a direction at which the session stops; -1 or hit_count: none. */
static int next_active(const struct walker *walker, int from, int step)
{
	int hit = from;

	while (hit >= 0 && hit < (int)walker->sweep->hit_count && !is_active(walker, hit))
		hit += step;
	return hit < 0 ? -1 : hit;
}

static int count_on(const struct walker *walker, int from, int step, int count)
{
	int hit = next_active(walker, from, step);

	while (count-- > 1 && hit >= 0 && hit < (int)walker->sweep->hit_count &&
	       walker->sweep->hits[hit].point != POINT_SIGNAL)
		hit = next_active(walker, hit + step, step);
	return hit;
}

static bool is_watch(const struct walker *walker, int hit)
{
	int point = walker->sweep->hits[hit].point;

	return point != POINT_SIGNAL && points[point].watch;
}

static bool same_place(const struct place_in_time *a, const struct place_in_time *b)
{
	return a->event == b->event && a->ticks == b->ticks && a->tid == b->tid;
}

/* Whether a stop is that hit, reached in that direction; learns where a write begins. */
static bool agrees(struct walker *walker, int index, bool reverse, const json_t *stop)
{
	struct hit *hit = &walker->sweep->hits[index];
	struct place_in_time at = sweep_place(stop);
	const char *reason = answer_text(stop, "reason");

	/* Going back, a signal stops before its event, and going on behind it. */
	if (hit->point == POINT_SIGNAL)
		return strcmp(reason, "signal") == 0 && at.tid == hit->at.tid &&
		       at.ticks == hit->at.ticks && hit->at.event - at.event == (reverse ? 1 : 0);
	if (!is_watch(walker, index))
		return same_place(&at, &hit->at) && strcmp(reason, "breakpoint") == 0;
	if (strcmp(reason, "watchpoint") != 0 ||
	    strcmp(answer_text(stop, "watch.old"), hit->old) != 0 ||
	    strcmp(answer_text(stop, "watch.new"), hit->new) != 0)
		return false;
	if (!reverse)
		return same_place(&at, &hit->at);
	if (!hit->before.event)
		hit->before = at;
	return same_place(&at, &hit->before) && at.tid == hit->at.tid &&
	       sweep_compare(&at, &hit->at) <= 0 &&
	       (index == 0 || sweep_compare(&hit[-1].at, &at) <= 0);
}

/* A breakpoint is stood on. A write is behind or ahead, by the direction; and a signal is ahead to
 * who came back to it, but who went on to it does not meet it once more on the way back. */
static void stand_at(struct walker *walker, int hit, bool reverse)
{
	bool watch = is_watch(walker, hit), signal = walker->sweep->hits[hit].point == POINT_SIGNAL;

	walker->at.behind = watch && !reverse ? hit : hit - 1;
	walker->at.ahead = (watch || signal) && reverse ? hit : hit + 1;
	walker->at.on = walker->at.ahead - walker->at.behind == 2;
}

static bool is_there(const struct place_in_time *a, const struct place_in_time *b)
{
	return same_place(a, b) && a->pc == b->pc;
}

static bool is_exact(const struct walker *walker)
{
	return walker->at.on || walker->at.ahead == walker->at.behind + 1;
}

/* Whether the moment of a hit lies behind it: a write is done, a signal has come. */
static bool is_behind(const struct walker *walker, int hit)
{
	return is_watch(walker, hit) || walker->sweep->hits[hit].point == POINT_SIGNAL;
}

/* Where a stop lies that need not be at a hit. */
static struct whereabouts locate(const struct walker *walker, const struct place_in_time *place)
{
	int total = (int)walker->sweep->hit_count;
	struct whereabouts at = {-1, total, false};

	for (int i = 0; i < total; i++) {
		const struct hit *hit = &walker->sweep->hits[i];
		int order = sweep_compare(&hit->at, place);
		if (is_there(&hit->at, place))
			return (struct whereabouts){
			    is_behind(walker, i) ? i : i - 1, i + 1, !is_behind(walker, i)};
		if (hit->before.event && is_there(&hit->before, place))
			return (struct whereabouts){i - 1, i, false};
		if (order < 0)
			at.behind = i;
		if (order > 0 && at.ahead > i)
			at.ahead = i;
	}
	return at;
}

static void check_run(struct walker *walker, bool reverse, int count, const json_t *stop)
{
	int total = (int)walker->sweep->hit_count, step = reverse ? -1 : 1;
	/* Standing on hits that cannot be told apart, either side of each may be meant. */
	int from = reverse ? walker->at.ahead - 1 : walker->at.behind + 1;
	int last = reverse ? walker->at.behind : walker->at.ahead;

	/* A known stand on a breakpoint, or between two hits: the search begins beyond it. */
	if (is_exact(walker))
		from = last;
	for (int begin = from; reverse ? begin >= last : begin <= last; begin += step) {
		int expected = count_on(walker, begin, step, count);
		if (expected < 0 || expected >= total) {
			if (strcmp(answer_text(stop, "reason"), reverse ? "start" : "end") != 0)
				continue;
			walker->at = reverse ? (struct whereabouts){-1, 0, false}
					     : (struct whereabouts){total - 1, total, false};
			return;
		}
		if (agrees(walker, expected, reverse, stop)) {
			stand_at(walker, expected, reverse);
			return;
		}
	}
	disagree(walker, "continue", count_on(walker, last, step, count), stop);
}

static void move_continue(struct walker *walker)
{
	bool reverse = draw(walker, 2);
	int count = draw(walker, 3) ? 1 : 2 + (int)draw(walker, 3);

	note(walker, " continue %s %d;", reverse ? "back" : "on", count);
	json_t *stop = client_tool(
	    walker->client, "rr_continue", "{s:b, s:i}", "reverse", reverse, "count", count);
	check_run(walker, reverse, count, stop);
	json_decref(stop);
}

static void go_to(struct walker *walker, const struct place_in_time *place)
{
	note(walker, " goto %s;", place->moment);
	json_t *stop = client_tool(walker->client, "rr_goto", "{s:s}", "moment", place->moment);
	struct place_in_time at = sweep_place(stop);
	if (!same_place(&at, place) || at.pc != place->pc)
		disagree(walker, "goto", -1, stop);
	walker->at = locate(walker, &at);
	json_decref(stop);
}

static void move_goto(struct walker *walker)
{
	int hit = (int)draw(walker, (unsigned)walker->sweep->hit_count);

	go_to(walker, &walker->sweep->hits[hit].at);
}

static void move_end(struct walker *walker)
{
	note(walker, " goto end;");
	json_decref(client_tool(walker->client, "rr_goto", "{s:s}", "moment", "end"));
	walker->at = (struct whereabouts){
	    (int)walker->sweep->hit_count - 1, (int)walker->sweep->hit_count, false};
}

/* A step stops at points as well, and stands somewhere between hits otherwise. */
static void move_step(struct walker *walker)
{
	static const char *const tools[] = {"rr_step", "rr_next"};
	static const char *const units[] = {"line", "instruction"};
	const char *tool = tools[draw(walker, 2)], *unit = units[draw(walker, 2)];
	bool reverse = draw(walker, 2);
	int count = 1 + (int)draw(walker, 4);

	note(walker, " %s %s %d %s;", tool, reverse ? "back" : "on", count, unit);
	json_t *stop = client_tool(walker->client, tool, "{s:b, s:i, s:s}", "reverse", reverse,
	    "count", count, "unit", unit);
	struct place_in_time place = sweep_place(stop);
	walker->at = locate(walker, &place);
	json_decref(stop);
}

/* Who wrote it last is the last write behind us. */
static void move_last_change(struct walker *walker)
{
	int point = VALUE + (int)draw(walker, 3), hit = walker->at.behind;

	if (!is_exact(walker))
		return; /* not known whether the write is behind us */
	note(walker, " last change of %s;", points[point].what);
	while (hit >= 0 && walker->sweep->hits[hit].point != point)
		hit--;
	if (hit < 0) {
		json_decref(client_tool_fails(walker->client, "rr_last_change", "not_found",
		    "{s:s}", "expression", points[point].what));
		return;
	}
	json_t *answer = client_tool(
	    walker->client, "rr_last_change", "{s:s}", "expression", points[point].what);
	const struct hit *expected = &walker->sweep->hits[hit];
	struct place_in_time at = sweep_place(answer);
	if (strcmp(answer_text(answer, "old"), expected->old) != 0 ||
	    strcmp(answer_text(answer, "new"), expected->new) != 0 || at.tid != expected->at.tid ||
	    sweep_compare(&at, &expected->at) > 0)
		disagree(walker, "last change", hit, answer);
	json_decref(answer);
}

/* What a variable holds is what was last written to it. */
static void move_evaluate(struct walker *walker)
{
	int hit = walker->at.behind;

	if (!is_exact(walker))
		return;
	note(walker, " evaluate;");
	while (hit >= 0 && walker->sweep->hits[hit].point != VALUE)
		hit--;
	json_t *answer = client_tool(walker->client, "rr_evaluate", "{s:s}", "expression", "value");
	if (strcmp(answer_text(answer, "value"), hit < 0 ? "0" : walker->sweep->hits[hit].new) != 0)
		disagree(walker, "evaluate", hit, answer);
	json_decref(answer);
}

static long long set_point(struct walker *walker, int point)
{
	char condition[64];

	snprintf(condition, sizeof(condition), "%s == %lld", conditions[point].number,
	    walker->only[point]);
	if (walker->only[point] < 0)
		condition[0] = '\0';
	note(walker, " set %s%s%s;", points[point].what, condition[0] ? " if " : "", condition);
	return sweep_set(walker->client, &points[point], condition[0] ? condition : NULL);
}

static void move_points(struct walker *walker)
{
	int point = (int)draw(walker, POINTS);

	if (walker->numbers[point]) {
		note(walker, " clear %s;", points[point].what);
		client_tool_done(walker->client, "rr_breakpoint_remove", "{s:I}",
		    "breakpoint_number", walker->numbers[point]);
		walker->numbers[point] = 0;
		return;
	}
	walker->only[point] =
	    draw(walker, 2) ? (long long)draw(walker, conditions[point].below) : -1;
	walker->numbers[point] = set_point(walker, point);
}

static void move_checkpoint(struct walker *walker)
{
	if (walker->checkpoint_count < CHECKPOINTS_MAX) {
		note(walker, " checkpoint;");
		json_t *saved = client_tool(walker->client, "rr_checkpoint_save", NULL);
		walker->checkpoints[walker->checkpoint_count].id =
		    answer_number(saved, "checkpoint_id");
		walker->checkpoints[walker->checkpoint_count++].at = walker->at;
		json_decref(saved);
		return;
	}
	unsigned which = draw(walker, CHECKPOINTS_MAX);
	note(walker, " restore %lld;", walker->checkpoints[which].id);
	json_decref(client_tool(walker->client, "rr_checkpoint_restore", "{s:I}", "checkpoint_id",
	    walker->checkpoints[which].id));
	walker->at = walker->checkpoints[which].at;
	if (draw(walker, 2))
		return;
	note(walker, " forget it;");
	client_tool_done(walker->client, "rr_checkpoint_delete", "{s:I}", "checkpoint_id",
	    walker->checkpoints[which].id);
	walker->checkpoints[which] = walker->checkpoints[--walker->checkpoint_count];
}

static void move_thread(struct walker *walker)
{
	json_t *list = client_tool(walker->client, "rr_thread_list", NULL);
	size_t count = answer_count(list, "threads");
	json_t *one =
	    json_array_get(answer_at(list, "threads"), draw(walker, (unsigned)(count ? count : 1)));

	note(walker, " select thread %lld;", answer_number(one, "tid"));
	client_tool_done(
	    walker->client, "rr_thread_select", "{s:I}", "thread_id", answer_number(one, "tid"));
	json_decref(list);
}

static void walk(struct walker *walker)
{
	static void (*const moves[])(struct walker *) = {move_continue, move_continue,
	    move_continue, move_continue, move_goto, move_goto, move_step, move_step,
	    move_last_change, move_last_change, move_evaluate, move_points, move_points,
	    move_checkpoint, move_thread, move_end};

	walker->history_length = 0;
	note(walker, " set:");
	for (int i = 0; i < POINTS; i++)
		if (walker->numbers[i])
			note(walker, " %s (%lld)", points[i].what, walker->only[i]);
	note(walker, ";");
	move_goto(walker);
	for (int i = 0; i < STEPS_IN_WALK; i++) {
		moves[draw(walker, sizeof(moves) / sizeof(*moves))](walker);
		walker->moves++;
	}
	walker->walks++;
}

static char *record(struct client *client, const char *folder, const char *how, const char *count)
{
	char *trace = harness_path(folder, "trace"), *program = harness_program("walks");

	json_decref(client_tool(client, "rr_record", "{s:[s, s, s], s:s}", "command", program, how,
	    count, "trace_dir", trace));
	free(program);
	return trace;
}

/* The last process of a recording: of a fork tree the innermost child. */
static long long last_process(struct client *client, const char *trace)
{
	json_t *answer = client_tool(client, "rr_ps", "{s:s}", "trace_dir", trace);
	size_t count = answer_count(answer, "processes");
	long long pid =
	    answer_number(json_array_get(answer_at(answer, "processes"), count - 1), "pid");

	json_decref(answer);
	return pid;
}

static void start(struct client *client, const char *trace, bool innermost)
{
	json_t *args = json_pack("{s:s}", "trace_dir", trace);

	if (innermost)
		json_object_set_new(args, "pid", json_integer(last_process(client, trace)));
	json_decref(client_tool(client, "rr_replay_start", "o", args));
	if (!innermost)
		json_decref(client_tool(client, "rr_continue", "{s:s}", "until", "main"));
}

/* Another row of chances in each program. */
static unsigned long long seed(const char *how, const char *count, bool innermost)
{
	unsigned long long mix = (unsigned long long)from_environment("ORACLE_SEED", 1);

	for (; *how; how++)
		mix = mix * 131 + (unsigned char)*how;
	for (; *count; count++)
		mix = mix * 131 + (unsigned char)*count;
	return (mix * 2 + innermost) * 0x9e3779b97f4a7c15 | 1;
}

static void walk_in(const char *how, const char *count, bool innermost)
{
	char *folder = harness_scratch(0);
	struct walker walker = {
	    .client = client_start(NULL), .chance = seed(how, count, innermost)};
	char *trace = record(walker.client, folder, how, count);
	double until;

	walking = &walker;
	signal(SIGABRT, tell_walk);
	start(walker.client, trace, innermost);
	walker.sweep = sweep_make(walker.client, points);
	until = harness_now() + (double)from_environment("ORACLE_SECONDS", 8);
	while (harness_now() < until || walker.walks < WALKS_MIN)
		walk(&walker);
	printf("%s %s: %zu hits, %ld walks, %ld moves\n", how, count, walker.sweep->hit_count,
	    walker.walks, walker.moves);
	client_end(walker.client);
	sweep_free(walker.sweep);
	free(trace);
	harness_scratch_free(folder);
}

START_TEST(walks_in_one_thread_agree_with_the_sweep)
{
	walk_in("threads", "1", false);
}
END_TEST

START_TEST(walks_among_two_threads_agree_with_the_sweep)
{
	walk_in("threads", "2", false);
}
END_TEST

START_TEST(walks_among_four_threads_agree_with_the_sweep)
{
	walk_in("threads", "4", false);
}
END_TEST

START_TEST(walks_among_sixteen_threads_agree_with_the_sweep)
{
	walk_in("threads", "16", false);
}
END_TEST

START_TEST(walks_in_the_first_of_a_fork_tree_agree_with_the_sweep)
{
	walk_in("forks", "3", false);
}
END_TEST

START_TEST(walks_in_the_last_of_a_fork_tree_agree_with_the_sweep)
{
	walk_in("forks", "3", true);
}
END_TEST

START_TEST(walks_among_signals_agree_with_the_sweep)
{
	walk_in("signals", "4", false);
}
END_TEST

int main(void)
{
	Suite *suite = suite_create("oracle");
	TCase *all = tcase_create("oracle");
	const TTest *const tests[] = {walks_in_one_thread_agree_with_the_sweep,
	    walks_among_two_threads_agree_with_the_sweep,
	    walks_among_four_threads_agree_with_the_sweep,
	    walks_among_sixteen_threads_agree_with_the_sweep,
	    walks_in_the_first_of_a_fork_tree_agree_with_the_sweep,
	    walks_in_the_last_of_a_fork_tree_agree_with_the_sweep,
	    walks_among_signals_agree_with_the_sweep, NULL};

	for (size_t i = 0; tests[i]; i++)
		tcase_add_test(all, tests[i]);
	tcase_set_timeout(
	    all, (double)from_environment("ORACLE_SECONDS", 8) + SCENE_TEST_TIMEOUT_S);
	suite_add_tcase(suite, all);
	return run_suite(suite);
}
