/*
 * The sweep: plain forward execution, with which everything else must agree.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/sweep.h"

struct place_in_time sweep_place(const json_t *answer)
{
	struct place_in_time place = {
	    .event = answer_event(answer, "moment"),
	    .ticks = answer_ticks(answer, "moment"),
	    .tid = answer_number(answer, "tid"),
	    .pc = strtoull(answer_text(answer, "frame.address"), NULL, 16),
	};
	snprintf(place.moment, sizeof(place.moment), "%s", answer_text(answer, "moment"));
	return place;
}

/* One thread runs within an event; its ticks stand still between two branches. */
int sweep_compare(const struct place_in_time *a, const struct place_in_time *b)
{
	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	if (a->tid != b->tid || a->ticks == b->ticks)
		return 0;
	return a->ticks < b->ticks ? -1 : 1;
}

long long sweep_set(struct client *client, const struct point *point, const char *condition)
{
	json_t *args = json_pack("{s:s}", point->watch ? "expression" : "location", point->what);

	if (condition)
		json_object_set_new(args, "condition", json_string(condition));
	json_t *answer = client_tool(
	    client, point->watch ? "rr_watchpoint_set" : "rr_breakpoint_set", "o", args);
	long long number = answer_number(answer, "number");

	json_decref(answer);
	return number;
}

static void copy_text(char to[80], const json_t *stop, const char *path)
{
	snprintf(to, 80, "%s", answer_text(stop, path));
}

static int point_of(const struct sweep *sweep, const long long *numbers, long long number)
{
	for (size_t i = 0; i < sweep->point_count; i++)
		if (numbers[i] == number)
			return (int)i;
	harness_fail("a stop at breakpoint %lld, which nobody set", number);
	return 0;
}

static long long argument_of(const json_t *stop, const char *name)
{
	char key[32];
	const char *found;

	snprintf(key, sizeof(key), "%s=", name);
	found = strstr(answer_text(stop, "frame.args"), key);
	return found ? strtoll(found + strlen(key), NULL, 0) : -1;
}

static struct hit hit_of(const struct sweep *sweep, const json_t *stop, const long long *numbers)
{
	struct hit hit = {.point = POINT_SIGNAL, .at = sweep_place(stop)};
	const char *reason = answer_text(stop, "reason");

	if (strcmp(reason, "signal") == 0)
		return hit;
	hit.point = point_of(sweep, numbers, answer_number(stop, "breakpoint"));
	if (strcmp(reason, "watchpoint") == 0) {
		copy_text(hit.old, stop, "watch.old");
		copy_text(hit.new, stop, "watch.new");
	} else {
		hit.who = argument_of(stop, "who");
		hit.round = argument_of(stop, "round");
	}
	return hit;
}

struct sweep *sweep_make(struct client *client, const struct point *points)
{
	struct sweep *sweep = calloc(1, sizeof(*sweep));
	long long numbers[SWEEP_POINTS_MAX];
	json_t *stop;

	sweep->points = points;
	for (; points[sweep->point_count].what; sweep->point_count++)
		numbers[sweep->point_count] = sweep_set(client, &points[sweep->point_count], NULL);
	for (;;) {
		stop = client_tool(client, "rr_continue", NULL);
		if (strcmp(answer_text(stop, "reason"), "end") == 0)
			break;
		if (sweep->hit_count == SWEEP_HITS_MAX)
			harness_fail("more than %d hits", SWEEP_HITS_MAX);
		sweep->hits[sweep->hit_count++] = hit_of(sweep, stop, numbers);
		json_decref(stop);
	}
	sweep->end = sweep_place(stop);
	json_decref(stop);
	for (size_t i = 0; i < sweep->point_count; i++)
		client_tool_done(
		    client, "rr_breakpoint_remove", "{s:I}", "breakpoint_number", numbers[i]);
	return sweep;
}

void sweep_free(struct sweep *sweep)
{
	free(sweep);
}
