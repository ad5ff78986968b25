/*
 * Says what a call did in few words.
 */
#include "worker/investigate/calls/frame_story.h"

#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/code/source.h"

static json_t *name_moment(void *owner, const struct moment *moment)
{
	return moment_name(owner, moment);
}

static json_t *conclude(const struct frame_story *story, enum search_end end)
{
	const char *args = json_string_value(story->arguments);
	const char *returned = json_string_value(story->returned);
	char brief[BRIEF_NAME_MAX];
	const char *how = "did not return: the program ended in it";

	if (end == SEARCH_CUT)
		how = "was not seen to its end";
	else if (story->over)
		how = "ran to its end";
	else if (story->left)
		how = "was left without a return, by an exception or longjmp";
	else if (story->lifetime.stretch[1].event != REPLAY_EVENT_FAR)
		how = "returned";
	return json_sprintf("%s(%.300s) %s%s%.160s after %s%zu line%s and %zu call%s",
	    brief_name(story->inlined[0] ? story->inlined : story->shown, brief), args ? args : "",
	    how, returned ? " " : "", returned ? returned : "", story->full ? "more than " : "",
	    story->story.count, story->story.count == 1 ? "" : "s", story->story.calls,
	    story->story.calls == 1 ? "" : "s");
}

static void set_array(json_t *answer, const char *key, json_t *array)
{
	if (json_array_size(array))
		json_object_set(answer, key, array);
	json_decref(array);
}

static void add_notes(const struct frame_story *story, json_t *answer)
{
	json_t *notes = json_array();
	char brief[BRIEF_NAME_MAX];

	if (story->inlined[0])
		json_array_append_new(
		    notes, json_sprintf(
			       "the compiler put %.120s into %.120s: this is one pass through its "
			       "code there, and what it returned is not known",
			       brief_name(story->inlined, brief), story->shown));
	if (story->code.optimized)
		json_array_append_new(notes,
		    json_string("optimized code: lines are out of order or missing, and one line "
				"can appear several times"));
	if (story->tail)
		json_array_append_new(notes,
		    json_sprintf("it ended by jumping to %.120s, which returned in its place",
			story->tail->target));
	if (story->code.cut)
		json_array_append_new(notes,
		    json_sprintf("the function has more than %d lines and calls: some are not told",
			FUNCTION_SPOTS_MAX));
	set_array(answer, "notes", notes);
}

json_t *frame_story_answer(
    struct frame_story *story, const struct search *search, enum search_end end)
{
	struct replay *replay = story->replay;
	json_t *source =
	    source_between(replay, story->code.path, story->code.first, story->code.last);
	struct story_source text = {json_string_value(source)};
	json_t *answer = json_object(),
	       *name = moment_name(replay, story->inlined[0] && story->story.count
					       ? &story->story.rows[0].moment
					       : &story->lifetime.stretch[0]);

	json_object_set_new(answer, "conclusion", conclude(story, end));
	json_object_set(answer, "moment", name);
	json_object_set_new(answer, "tid", json_integer(story->tid));
	json_object_set_new(answer, "at", json_sprintf("%s:%d", story->code.path, story->line));
	if (story->caller)
		json_object_set(answer, "caller", story->caller);
	if (story->arguments)
		json_object_set(answer, "args", story->arguments);
	if (story->returned)
		json_object_set(answer, "returned", story->returned);
	if (!story->left && !story->inlined[0] && end == SEARCH_WHOLE &&
	    story->lifetime.stretch[1].event != REPLAY_EVENT_FAR)
		json_object_set_new(
		    answer, "returned_at", moment_name(replay, &story->lifetime.stretch[1]));
	set_array(answer, "story",
	    story_tell(&story->story, &text, (size_t)story->args->limit, name_moment, replay));
	set_array(answer, "branches", story_branches(&story->story, &text));
	set_array(answer, "changed", changes_tell(&story->changes));
	add_notes(story, answer);
	if (story->full)
		json_object_set_new(answer, "cut_off",
		    json_string("only its first lines were followed, up to its return: a higher "
				"limit follows more, rr_lines_executed counts all"));
	search_tell(search, end, answer);
	if (end == SEARCH_CUT)
		json_object_set_new(answer, "cut_off",
		    json_string("the time is over before the call was: give a longer deadline"));
	json_decref(source);
	json_decref(name);
	return answer;
}
