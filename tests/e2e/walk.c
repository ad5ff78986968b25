/*
 * A walk: chance draws each move, and what the sweep says of it is what the server must say.
 */
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/walker.h"

static const struct walker *walking;

static void tell(const char *text, size_t length)
{
	if (write(STDERR_FILENO, text, length) < 0)
		return;
}

/* A call that fails ends the process: the walk is told all the same. */
static void tell_walk(int signal)
{
	static const char told[] = "the walk:", repeat[] = "\nonce more: ";

	(void)signal;
	if (!walking)
		return;
	tell(told, sizeof(told) - 1);
	tell(walking->history, walking->history_length);
	tell(repeat, sizeof(repeat) - 1);
	tell(walking->label, strlen(walking->label));
	tell("\n", 1);
}

unsigned walker_draw(struct walker *walker, unsigned below)
{
	walker->chance ^= walker->chance << 13;
	walker->chance ^= walker->chance >> 7;
	walker->chance ^= walker->chance << 17;
	return (unsigned)(walker->chance >> 33) % below;
}

void walker_note(struct walker *walker, const char *format, ...)
{
	va_list arguments;

	if (walker->history_length + 200 > HISTORY_MAX)
		return;
	va_start(arguments, format);
	walker->history_length +=
	    (size_t)vsnprintf(walker->history + walker->history_length, 200, format, arguments);
	va_end(arguments);
}

void walker_disagree(struct walker *walker, const char *what, int hit, const json_t *answer)
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
	const long long numbers[WALK_POINTS] = {
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

	if (one->point == POINT_SIGNAL || (one->point == TOUCH && walker->until))
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

	return point != POINT_SIGNAL && walker->points[point].watch;
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

bool walker_is_exact(const struct walker *walker)
{
	return walker->at.on || walker->at.ahead == walker->at.behind + 1;
}

/* Whether the moment of a hit lies behind it: a write is done, a signal has come. */
static bool is_behind(const struct walker *walker, int hit)
{
	return is_watch(walker, hit) || walker->sweep->hits[hit].point == POINT_SIGNAL;
}

struct whereabouts walker_locate(const struct walker *walker, const struct place_in_time *place)
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

/* The first and the last hit at which a run can begin to count. */
static void begins_of(const struct walker *walker, bool reverse, int *from, int *last)
{
	/* Standing on hits that cannot be told apart, either side of each may be meant. */
	*from = reverse ? walker->at.ahead - 1 : walker->at.behind + 1;
	*last = reverse ? walker->at.behind : walker->at.ahead;
	/* A known stand on a breakpoint, or between two hits: the search begins beyond it. */
	if (walker_is_exact(walker))
		*from = *last;
}

static void check_run(struct walker *walker, bool reverse, int count, const json_t *stop)
{
	int total = (int)walker->sweep->hit_count, step = reverse ? -1 : 1, from, last;

	begins_of(walker, reverse, &from, &last);
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
	walker_disagree(walker, "continue", count_on(walker, last, step, count), stop);
}

/*
 * The stop that a move ends at. NULL where the server says that it cannot tell, and stands where it
 * did; or that rr or gdb ended over it, as they do where a step goes back to before a thread began.
 * Neither is a wrong answer.
 */
static json_t *move(struct walker *walker, const char *tool, json_t *args)
{
	long long id = client_tool_send(walker->client, tool, args);
	json_t *message = client_wait(walker->client, id, HARNESS_TIMEOUT_S), *stop;
	const char *code;

	if (!answer_at(message, "result.structuredContent"))
		harness_fail("%s was not answered", tool);
	stop = json_incref(answer_at(message, "result.structuredContent"));
	json_decref(message);
	if (!answer_at(stop, "code"))
		return stop;
	code = answer_text(stop, "code");
	if (!walker->lost)
		printf("refused: %s: %s\n", tool, answer_text(stop, "message"));
	walker->lost = strcmp(code, "rr_failed") == 0 || strcmp(code, "gdb_failed") == 0;
	if (!walker->lost && strcmp(code, "unsupported") != 0)
		walker_disagree(walker, tool, -1, stop);
	walker->refused++;
	json_decref(stop);
	return NULL;
}

static int any_hit(struct walker *walker)
{
	return (int)walker_draw(walker, (unsigned)walker->sweep->hit_count);
}

/* The checkpoint that a call over a fork has left, unless the walk has saved it before. */
static void forget_way_back(struct walker *walker, const json_t *stop)
{
	static const char names[] = "checkpoint_id ";
	const char *at = strstr(answer_text(stop, "note"), names);
	long long id = at ? strtoll(at + sizeof(names) - 1, NULL, 10) : 0;

	for (unsigned i = 0; i < walker->checkpoint_count; i++)
		if (walker->checkpoints[i].id == id)
			return;
	if (id)
		client_tool_done(walker->client, "rr_checkpoint_delete", "{s:I}", "checkpoint_id",
		    (json_int_t)id);
}

static json_t *go_to(struct walker *walker, const struct place_in_time *place)
{
	walker_note(walker, " goto %s;", place->moment);
	json_t *stop = client_tool(walker->client, "rr_goto", "{s:s}", "moment", place->moment);
	struct place_in_time at = sweep_place(stop);
	if (!same_place(&at, place) || at.pc != place->pc)
		walker_disagree(walker, "goto", -1, stop);
	walker->at = walker_locate(walker, &at);
	return stop;
}

static long long session_pid(struct client *client)
{
	json_auto_t *sessions = client_tool(client, "rr_sessions", NULL);

	return answer_number(sessions, "sessions.0.pid");
}

bool walker_comes_home(struct walker *walker)
{
	if (session_pid(walker->client) == walker->pid)
		return false;
	json_auto_t *there = go_to(walker, &walker->sweep->hits[any_hit(walker)].at);
	forget_way_back(walker, there);
	if (session_pid(walker->client) != walker->pid)
		walker_disagree(walker, "the process", -1, there);
	return true;
}

/* A forked child's run back that comes to no hit goes on in the parent. */
static bool was_handed_over(struct walker *walker, bool reverse, int count, const json_t *stop)
{
	bool may = false;
	int from, last;

	if (!json_object_get(stop, "pid"))
		return false;
	begins_of(walker, true, &from, &last);
	for (int begin = from; reverse && begin >= last; begin--)
		may |= count_on(walker, begin, -1, count) < 0;
	if (!may || !walker_comes_home(walker))
		walker_disagree(walker, "in the parent", count_on(walker, last, -1, count), stop);
	forget_way_back(walker, stop);
	return true;
}

static void move_continue(struct walker *walker)
{
	bool reverse = walker_draw(walker, 2);
	int count = walker_draw(walker, 3) ? 1 : 2 + (int)walker_draw(walker, 3);
	json_t *args = json_pack("{s:b, s:i}", "reverse", reverse, "count", count);

	walker->until = walker_draw(walker, 6) == 0;
	if (walker->until)
		json_object_set_new(args, "until", json_string(walker->points[TOUCH].what));
	walker_note(walker, " continue %s %d%s;", reverse ? "back" : "on", count,
	    walker->until ? " until touch" : "");
	json_t *stop = move(walker, "rr_continue", args);
	if (stop && !was_handed_over(walker, reverse, count, stop))
		check_run(walker, reverse, count, stop);
	walker->until = false;
	json_decref(stop);
}

static void move_goto(struct walker *walker)
{
	json_decref(go_to(walker, &walker->sweep->hits[any_hit(walker)].at));
}

static void move_end(struct walker *walker)
{
	walker_note(walker, " goto end;");
	json_t *stop = client_tool(walker->client, "rr_goto", "{s:s}", "moment", "end");
	if (strcmp(answer_text(stop, "reason"), "end") != 0)
		walker_disagree(walker, "goto end", -1, stop);
	json_decref(stop);
	walker->at = (struct whereabouts){
	    (int)walker->sweep->hit_count - 1, (int)walker->sweep->hit_count, false};
}

/* A step passes no hit, of whichever thread: it stops there. */
static void check_passed(
    struct walker *walker, const struct whereabouts *before, bool reverse, const json_t *stop)
{
	int first = reverse ? walker->at.ahead : before->ahead;
	int last = reverse ? before->behind : walker->at.behind;

	/* What it stopped at lies behind or ahead, by the direction. */
	if (strcmp(answer_text(stop, "reason"), "watchpoint") == 0) {
		first += reverse;
		last -= !reverse;
	}
	for (int hit = first; hit <= last; hit++) {
		int point = walker->sweep->hits[hit].point;
		bool aside = reverse && is_watch(walker, hit) && walker->only[point] >= 0;

		if (point == POINT_SIGNAL || !is_active(walker, hit))
			continue;
		if (!aside || !strstr(answer_text(stop, "note"), "do not stop a step back"))
			walker_disagree(walker, "a step that passes a hit", hit, stop);
	}
}

/* A step stops at points as well, and stands somewhere between hits otherwise. */
static void move_step(struct walker *walker)
{
	static const char *const tools[] = {"rr_step", "rr_next"};
	static const char *const units[] = {"line", "instruction"};
	const char *tool = tools[walker_draw(walker, 2)], *unit = units[walker_draw(walker, 2)];
	bool reverse = walker_draw(walker, 2);
	int count = 1 + (int)walker_draw(walker, 4);

	walker_note(walker, " %s %s %d %s;", tool, reverse ? "back" : "on", count, unit);
	json_t *stop = move(walker, tool,
	    json_pack("{s:b, s:i, s:s}", "reverse", reverse, "count", count, "unit", unit));
	if (stop && !was_handed_over(walker, reverse, 1, stop)) {
		struct place_in_time place = sweep_place(stop);
		struct whereabouts before = walker->at;

		walker->at = walker_locate(walker, &place);
		check_passed(walker, &before, reverse, stop);
	}
	json_decref(stop);
}

/* Who wrote it last is the last write behind us. */
static void move_last_change(struct walker *walker)
{
	int point = VALUE + (int)walker_draw(walker, 3), hit = walker->at.behind;

	if (!walker_is_exact(walker))
		return; /* not known whether the write is behind us */
	walker_note(walker, " last change of %s;", walker->points[point].what);
	while (hit >= 0 && walker->sweep->hits[hit].point != point)
		hit--;
	if (hit < 0) {
		json_decref(client_tool_fails(walker->client, "rr_last_change", "not_found",
		    "{s:s}", "expression", walker->points[point].what));
		return;
	}
	json_t *answer = client_tool(
	    walker->client, "rr_last_change", "{s:s}", "expression", walker->points[point].what);
	const struct hit *expected = &walker->sweep->hits[hit];
	struct place_in_time at = sweep_place(answer);
	if (strcmp(answer_text(answer, "old"), expected->old) != 0 ||
	    strcmp(answer_text(answer, "new"), expected->new) != 0 || at.tid != expected->at.tid ||
	    sweep_compare(&at, &expected->at) > 0)
		walker_disagree(walker, "last change", hit, answer);
	json_decref(answer);
}

const char *walker_value_behind(const struct walker *walker, int hit)
{
	while (hit >= 0 && walker->sweep->hits[hit].point != VALUE)
		hit--;
	return hit < 0 ? "0" : walker->sweep->hits[hit].new;
}

static void expect_value(struct walker *walker, int hit, json_t *answer)
{
	if (strcmp(answer_text(answer, "value"), walker_value_behind(walker, hit)) != 0)
		walker_disagree(walker, "evaluate", hit, answer);
	json_decref(answer);
}

static void move_evaluate(struct walker *walker)
{
	if (!walker_is_exact(walker))
		return;
	walker_note(walker, " evaluate;");
	expect_value(walker, walker->at.behind,
	    client_tool(
		walker->client, "rr_evaluate", "{s:s}", "expression", walker->points[VALUE].what));
}

/* The value at another moment, from here. */
static void move_look(struct walker *walker)
{
	int hit = any_hit(walker);
	const char *moment = walker->sweep->hits[hit].at.moment;

	walker_note(walker, " evaluate at %s;", moment);
	expect_value(walker, hit,
	    client_tool(walker->client, "rr_evaluate", "{s:s, s:s}", "expression",
		walker->points[VALUE].what, "at", moment));
}

static long long set_point(struct walker *walker, int point)
{
	char condition[64];

	snprintf(condition, sizeof(condition), "%s == %lld", walker->conditions[point].number,
	    walker->only[point]);
	if (walker->only[point] < 0)
		condition[0] = '\0';
	walker_note(walker, " set %s%s%s;", walker->points[point].what, condition[0] ? " if " : "",
	    condition);
	return sweep_set(walker->client, &walker->points[point], condition[0] ? condition : NULL);
}

static void move_points(struct walker *walker)
{
	int point = (int)walker_draw(walker, WALK_POINTS);

	if (walker->numbers[point]) {
		walker_note(walker, " clear %s;", walker->points[point].what);
		client_tool_done(walker->client, "rr_breakpoint_remove", "{s:I}",
		    "breakpoint_number", walker->numbers[point]);
		walker->numbers[point] = 0;
		return;
	}
	walker->only[point] = walker_draw(walker, 2)
				  ? (long long)walker_draw(walker, walker->conditions[point].below)
				  : -1;
	walker->numbers[point] = set_point(walker, point);
}

static void move_checkpoint(struct walker *walker)
{
	if (walker->checkpoint_count < CHECKPOINTS_MAX) {
		walker_note(walker, " checkpoint;");
		json_t *saved = client_tool(walker->client, "rr_checkpoint_save", NULL);
		walker->checkpoints[walker->checkpoint_count].id =
		    answer_number(saved, "checkpoint_id");
		walker->checkpoints[walker->checkpoint_count++].at = walker->at;
		json_decref(saved);
		return;
	}
	unsigned which = walker_draw(walker, CHECKPOINTS_MAX);
	walker_note(walker, " restore %lld;", walker->checkpoints[which].id);
	json_decref(client_tool(walker->client, "rr_checkpoint_restore", "{s:I}", "checkpoint_id",
	    walker->checkpoints[which].id));
	walker->at = walker->checkpoints[which].at;
	if (walker_draw(walker, 2))
		return;
	walker_note(walker, " forget it;");
	client_tool_done(walker->client, "rr_checkpoint_delete", "{s:I}", "checkpoint_id",
	    walker->checkpoints[which].id);
	walker->checkpoints[which] = walker->checkpoints[--walker->checkpoint_count];
}

static void move_thread(struct walker *walker)
{
	json_t *list = client_tool(walker->client, "rr_thread_list", NULL);
	size_t count = answer_count(list, "threads");
	json_t *one = json_array_get(
	    answer_at(list, "threads"), walker_draw(walker, (unsigned)(count ? count : 1)));

	walker_note(walker, " select thread %lld;", answer_number(one, "tid"));
	client_tool_done(
	    walker->client, "rr_thread_select", "{s:I}", "thread_id", answer_number(one, "tid"));
	json_decref(list);
	list = client_tool(walker->client, "rr_when", NULL);
	snprintf(walker->chosen_at, sizeof(walker->chosen_at), "%s", answer_text(list, "moment"));
	json_decref(list);
}

static void note_points(struct walker *walker)
{
	walker->history_length = 0;
	walker_note(walker, " set:");
	for (int i = 0; i < WALK_POINTS; i++)
		if (walker->numbers[i])
			walker_note(walker, " %s (%lld)", walker->points[i].what, walker->only[i]);
	walker_note(walker, ";");
}

bool walker_walk(struct walker *walker)
{
	static void (*const moves[])(struct walker *) = {move_continue, move_continue,
	    move_continue, move_continue, move_continue, move_goto, move_goto, move_step, move_step,
	    move_last_change, move_last_change, move_evaluate, move_look, move_points, move_points,
	    move_points, move_checkpoint, move_checkpoint, move_thread, move_end, walker_cut,
	    walker_cut};

	walking = walker;
	note_points(walker);
	move_goto(walker);
	for (int i = 0; i < MOVES_IN_WALK && !walker->lost; i++)
		moves[walker_draw(walker, sizeof(moves) / sizeof(*moves))](walker);
	walking = NULL;
	return !walker->lost;
}

struct walker *walker_new(struct client *client, struct sweep *sweep,
    const struct walk_condition conditions[WALK_POINTS], unsigned long long chance,
    const char *label)
{
	struct walker *walker = calloc(1, sizeof(*walker));

	if (!walker)
		harness_fail("out of memory");
	walker->client = client;
	walker->sweep = sweep;
	walker->points = sweep->points;
	walker->conditions = conditions;
	walker->chance = chance | 1;
	walker->label = label;
	walker->pid = session_pid(client);
	signal(SIGABRT, tell_walk);
	return walker;
}

long walker_refused(const struct walker *walker)
{
	return walker->refused;
}

void walker_free(struct walker *walker)
{
	free(walker);
}
