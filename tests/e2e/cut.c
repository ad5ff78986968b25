/*
 * Calls that are interrupted or cancelled at an instant that chance draws. Wherever that ends, the
 * session must stand at a moment that it names truly, and what it says next must be the sweep's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/walker.h"

#define DELAYS_MAX 10 /* the longest delay is 2 to the power of one less, in ms */

/* Where the session stands, as far as it says so itself. */
struct footing {
	struct place_in_time place;
	char value[80];
};

/* What is cut: a search comes back to where it began. */
enum cut { CUT_RUN, CUT_GOTO, CUT_LAST_CHANGE, CUT_HISTORY, CUT_LOOK, CUTS };

static json_t *evaluate(struct walker *walker, const char *expression)
{
	return client_tool(walker->client, "rr_evaluate", "{s:s}", "expression", expression);
}

static struct footing stand(struct walker *walker)
{
	json_t *when = client_tool(walker->client, "rr_when", NULL);
	json_t *pc = evaluate(walker, "(unsigned long)$pc");
	json_t *value = evaluate(walker, walker->points[VALUE].what);
	struct footing footing = {.place = {.event = answer_event(when, "moment"),
				      .ticks = answer_ticks(when, "moment"),
				      .tid = answer_number(when, "tid"),
				      .pc = strtoull(answer_text(pc, "value"), NULL, 0)}};

	snprintf(
	    footing.place.moment, sizeof(footing.place.moment), "%s", answer_text(when, "moment"));
	snprintf(footing.value, sizeof(footing.value), "%s", answer_text(value, "value"));
	if (answer_true(when, "restored"))
		walker_note(walker, " (restored)");
	json_decref(value);
	json_decref(pc);
	json_decref(when);
	return footing;
}

static bool same_footing(const struct footing *a, const struct footing *b)
{
	return strcmp(a->place.moment, b->place.moment) == 0 && a->place.tid == b->place.tid &&
	       a->place.pc == b->place.pc && strcmp(a->value, b->value) == 0;
}

static void note_footing(struct walker *walker, const char *when, const struct footing *footing)
{
	walker_note(walker, " %s at %s %lld %llx with %s;", when, footing->place.moment,
	    footing->place.tid, footing->place.pc, footing->value);
}

static json_t *search_args(struct walker *walker)
{
	return json_pack("{s:s}", "expression", walker->points[VALUE].what);
}

static const char *some_moment(struct walker *walker)
{
	return walker->sweep->hits[walker_draw(walker, (unsigned)walker->sweep->hit_count)]
	    .at.moment;
}

/* Sends the call; its name is in *tool. */
static long long begin(struct walker *walker, enum cut cut, const char **tool)
{
	static const char *const tools[CUTS] = {
	    "rr_continue", "rr_goto", "rr_last_change", "rr_value_history", "rr_evaluate"};
	json_t *args = NULL;

	*tool = tools[cut];
	switch (cut) {
	case CUT_RUN:
		args = json_pack("{s:b}", "reverse", walker_draw(walker, 2));
		break;
	case CUT_GOTO:
		args = json_pack("{s:s}", "moment", some_moment(walker));
		break;
	case CUT_LAST_CHANGE:
	case CUT_HISTORY:
		args = search_args(walker);
		break;
	case CUT_LOOK:
		args = search_args(walker);
		json_object_set_new(args, "at", json_string(some_moment(walker)));
		break;
	case CUTS:
		break;
	}
	return client_tool_send(walker->client, *tool, args);
}

/* Each change that is told is the sweep's, from the first on. */
static void check_history(struct walker *walker, const json_t *answer)
{
	json_t *changes = answer_at(answer, "changes");
	const struct sweep *sweep = walker->sweep;
	size_t hit = 0;

	for (size_t i = 0; i < json_array_size(changes); i++, hit++) {
		const json_t *row = json_array_get(changes, i);

		while (hit < sweep->hit_count && sweep->hits[hit].point != VALUE)
			hit++;
		if (hit == sweep->hit_count ||
		    answer_number(row, "tid") != sweep->hits[hit].at.tid ||
		    strcmp(answer_text(row, "old"), sweep->hits[hit].old) != 0 ||
		    strcmp(answer_text(row, "new"), sweep->hits[hit].new) != 0)
			walker_disagree(walker, "a row of a history", (int)hit, row);
	}
}

/* What a call may answer that was asked to stop: that it did, or what it found before. */
static void check_answer(struct walker *walker, enum cut cut, const char *tool, json_t *answer)
{
	static const char *const fine[] = {"cancelled", "not_found", "unsupported"};
	const json_t *code = answer_at(answer, "code");
	bool known = code == NULL;

	for (size_t i = 0; code && i < sizeof(fine) / sizeof(*fine); i++)
		known |= strcmp(json_string_value(code), fine[i]) == 0;
	/* gdb gives up what the interrupt met it at, and the session is lost. */
	known |= code && strcmp(json_string_value(code), "gdb_failed") == 0 &&
		 strstr(answer_text(answer, "message"), "it was interrupted while it ");
	if (!known)
		walker_disagree(walker, tool, -1, answer);
	if (!code && cut == CUT_HISTORY)
		check_history(walker, answer);
}

static void interrupt(struct walker *walker, enum cut cut, const char *tool, long long id)
{
	json_t *message;

	client_tool_done(walker->client, "rr_interrupt", NULL);
	message = client_wait(walker->client, id, HARNESS_TIMEOUT_S);
	if (!answer_at(message, "result.structuredContent"))
		harness_fail("%s was not answered", tool);
	check_answer(walker, cut, tool, answer_at(message, "result.structuredContent"));
	json_decref(message);
}

/* Goes to the moment where the session stands: there, its own thread is the selected one. */
static void select_own_thread(struct walker *walker, const struct footing *here)
{
	if (strcmp(walker->chosen_at, here->place.moment) == 0)
		client_tool_done(walker->client, "rr_goto", "{s:s}", "moment", here->place.moment);
	else
		client_tool_done(walker->client, "rr_thread_select", "{s:I}", "thread_id",
		    (json_int_t)here->place.tid);
}

/* rr can be halted inside a system call, and goes to its end only. rr_goto says so then. */
static bool is_end_of_call(
    const struct footing *inside, const struct footing *after, const json_t *arrival)
{
	const json_t *note = answer_at(arrival, "note");

	return note && strstr(json_string_value(note), "rr cannot stop at event") &&
	       after->place.event == inside->place.event + 1 &&
	       after->place.ticks == inside->place.ticks && after->place.tid == inside->place.tid &&
	       after->place.pc == inside->place.pc && strcmp(after->value, inside->value) == 0;
}

/* Away from here and back by the name of the moment, which is one of its own thread. */
static void come_back(struct walker *walker)
{
	const char *away = some_moment(walker);
	struct footing here = stand(walker), again;
	json_t *arrival;

	select_own_thread(walker, &here);
	here = stand(walker);
	walker_note(walker, " goto %s and back to %s;", away, here.place.moment);
	client_tool_done(walker->client, "rr_goto", "{s:s}", "moment", away);
	arrival = client_tool(walker->client, "rr_goto", "{s:s}", "moment", here.place.moment);
	again = stand(walker);
	if (!same_footing(&here, &again) && !is_end_of_call(&here, &again, arrival)) {
		note_footing(walker, "was", &here);
		note_footing(walker, "is", &again);
		walker_disagree(walker, "a moment after an interrupt", -1, NULL);
	}
	json_decref(arrival);
}

/* At a signal it is not known whether it has been met. */
static struct whereabouts locate(const struct walker *walker, const struct place_in_time *place)
{
	struct whereabouts at = walker_locate(walker, place);
	const struct hit *hits = walker->sweep->hits;

	if (at.behind >= 0 && hits[at.behind].point == POINT_SIGNAL)
		at.behind--;
	if (at.ahead < (int)walker->sweep->hit_count && hits[at.ahead].point == POINT_SIGNAL)
		at.ahead++;
	return at;
}

static void check_value(struct walker *walker, const struct footing *here)
{
	if (walker_is_exact(walker) &&
	    strcmp(here->value, walker_value_behind(walker, walker->at.behind)) != 0) {
		walker_note(walker, " %s at %s;", here->value, here->place.moment);
		walker_disagree(walker, "a value after an interrupt", walker->at.behind, NULL);
	}
}

void walker_cut(struct walker *walker)
{
	struct footing before = stand(walker), here;
	enum cut cut = (enum cut)walker_draw(walker, CUTS);
	unsigned delay = walker_draw(walker, 1U << walker_draw(walker, DELAYS_MAX));
	bool cancel = walker_draw(walker, 2);
	const char *tool;
	long long id = begin(walker, cut, &tool);

	walker_note(
	    walker, " %s, %s after %u ms;", tool, cancel ? "cancelled" : "interrupted", delay);
	usleep(delay * 1000);
	if (cancel)
		client_cancel(walker->client, id);
	else
		interrupt(walker, cut, tool, id);
	here = stand(walker);
	if (cut != CUT_RUN && cut != CUT_GOTO && !same_footing(&before, &here)) {
		note_footing(walker, "was", &before);
		note_footing(walker, "is", &here);
		walker_disagree(walker, tool, -1, NULL);
	}
	if (cut == CUT_RUN && walker_comes_home(walker))
		return;
	if (strcmp(before.place.moment, here.place.moment) != 0)
		walker->at = locate(walker, &here.place);
	check_value(walker, &here);
	if (walker_draw(walker, 2))
		come_back(walker);
}
