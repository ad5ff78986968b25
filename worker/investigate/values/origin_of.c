/*
 * rr_origin_of: where a value comes from. Follows its bytes back through copies, and answers each
 * step, where the way ends, and why.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/gdb/must.h"
#include "worker/breaks/places/absolute.h"
#include "worker/investigate/calls/frame_lifetime.h"
#include "worker/investigate/values/origin.h"
#include "worker/investigate/code/where.h"
#include "worker/serve/handlers.h"
#include "worker/read/values/place.h"
#include "worker/read/values/accessed.h"
#include "worker/moment/excursion.h"
#include "worker/moment/visit.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/moment/position.h"
#include "worker/read/names/scope.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/read/names/ambiguous_statics.h"
#include "worker/read/values/values.h"
#include "worker/gdb/mi/says.h"
#include "worker/session/images.h"
#include "worker/session/relatives.h"
#include "worker/session/spoken.h"
#include "worker/serve/sentence.h"
#include "worker/serve/begins.h"

#define EXPRESSION_SHOWN 200
#define VALUE_SHOWN	 120
#define REGISTER_CHARS	 "abcdefghijklmnopqrstuvwxyz0123456789"
#define FRAMES_MAX	 12
#define FRAMES_BYTES	 6000

/* Words for programs, and whether the origin itself was found. */
static const struct {
	const char *kind;
	bool found;
} ends[] = {
    [ORIGIN_OPEN] = {"unknown", false},
    [ORIGIN_CONSTANT] = {"constant", true},
    [ORIGIN_COMPUTED] = {"computed", true},
    [ORIGIN_ADDRESS] = {"address", true},
    [ORIGIN_INPUT] = {"input", true},
    [ORIGIN_ALLOCATION] = {"allocation", true},
    [ORIGIN_FILLED] = {"filled", true},
    [ORIGIN_INITIAL] = {"initial", true},
    [ORIGIN_UNSET] = {"uninitialized", true},
    [ORIGIN_CHANGED] = {"changed", false},
    [ORIGIN_UNKNOWN] = {"unknown", false},
    [ORIGIN_LIMIT] = {"limit", false},
    [ORIGIN_CUT] = {"cut_off", false},
    [ORIGIN_FAILED] = {"unknown", false},
};

/* The name of the register that is meant, or of that in which a variable lives: gdb refuses its
 * address, and tells. NULL: there is none. Borrowed until gdb's next command. */
static const char *register_in(struct replay *replay, const char *expression)
{
	const char *text;

	if (expression[0] == '$')
		return expression[1 + strspn(expression + 1, REGISTER_CHARS)] ? NULL
									      : expression + 1;
	if (gdb_shown(replay_gdb(replay), NULL, "print &(%s)", expression))
		return NULL;
	text = gdb_says_of(gdb_message(replay_gdb(replay)), SAYS_IN_REGISTER);
	return text && *text == '$' ? text + 1 : NULL;
}

/* Where the frames further in have saved a register of the selected frame; 0: they have not. False:
 * not known, so the register may hold a value of theirs. */
static bool saved_at(struct replay *replay, const char *name, unsigned long long *address)
{
	const char *said = gdb_shown(replay_gdb(replay),
	    "it is not known where a register of an outer frame was saved", "info frame level %d",
	    replay_selected(replay)->frame - 1);
	char key[16];

	snprintf(key, sizeof(key), " %s at ", name);
	*address = hex_behind(behind_mark(said, "Saved registers:"), key);
	return said != NULL;
}

/* In the innermost frame, it is in the register. A function leaves some registers as they were: of
 * a frame further out, these are still there, or saved on the stack. */
static bool find_register(
    struct replay *replay, const char *expression, unsigned size, struct origin_bytes *now)
{
	const struct selection *selected = replay_selected(replay);
	const char *text = register_in(replay, expression);
	char name[8];

	if (!text)
		return false;
	snprintf(name, sizeof(name), "%.*s", (int)strcspn(text, ". \n"), text);
	for (unsigned i = 0; i < FLOW_REGISTERS; i++) {
		if (strcmp(name, flow_register_name(i)) != 0)
			continue;
		now->piece = (struct piece){.number = i, .size = size};
		if (selected->frame != 0 &&
		    (!flow_is_preserved(&now->piece) || strcmp(name, "rsp") == 0))
			return false;
		now->address = 0;
		if (selected->frame && !saved_at(replay, name, &now->address))
			return false;
		now->in_register = !now->address;
		now->must_be_set = !selected->frame && expression[0] != '$';
		return true;
	}
	return false;
}

static bool read_size(struct replay *replay, const char *expression, unsigned long long *size)
{
	char text[REPLAY_EXPRESSION_MAX + 16];

	snprintf(text, sizeof(text), "sizeof(%s)", expression);
	return accessed_number(replay, text, size);
}

static bool find_size(struct replay *replay, const char *expression, unsigned long long *size,
    struct failure *failure)
{
	unsigned long long address;

	if (!ambiguous_statics_check(replay, expression, failure))
		return false;
	if (!read_size(replay, expression, size) &&
	    !place_of_value(replay, expression, &address, size)) {
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "names are looked up in the selected frame; rr_locals lists them", "%.300s",
		    gdb_message(replay_gdb(replay)));
		scope_explain(replay, failure);
		return false;
	}
	if (*size != 0 && *size <= ORIGIN_BYTES_MAX)
		return true;
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "name one number or pointer, a member or an element: node->next, *(int *) 0x1234",
	    "%.200s has no value of 1 to 8 bytes", expression);
	return false;
}

/* Finds the bytes to follow. */
static bool begin(struct origin *origin, const char *expression, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct origin_bytes *now = &origin->now;
	unsigned long long size, pointer;
	char *address;

	if (!accessed_number(replay, "sizeof(void *)", &pointer) || pointer != 8) {
		failure_set(failure, ERROR_UNSUPPORTED, "rr_last_change works there",
		    "this works for 64-bit programs only");
		return false;
	}
	if (!find_size(replay, expression, &size, failure))
		return false;
	if (absolute_is_bit_field(replay, expression)) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "rr_last_change goes to what changed its bits last; rr_origin_of there follows "
		    "the value that was stored",
		    "%.200s is a bit-field: whole bytes are followed here, and other bit-fields "
		    "lie in the same ones",
		    expression);
		return false;
	}
	now->size = (unsigned)size;
	address = place_address(replay, expression);
	now->address = address ? strtoull(address, NULL, 16) : 0;
	free(address);
	if (now->address
		? accessed_whole(replay, now->address, now->bytes, now->size)
		: find_register(replay, expression, now->size, now) &&
		      (now->in_register
			      ? origin_read_register(replay, &now->piece, now->bytes)
			      : accessed_whole(replay, now->address, now->bytes, now->size)))
		return true;
	if (!now->address && spoken_is_foreign(replay)) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "rr_read_memory and rr_value_history take its address and length",
		    "gdb does not tell the address of %.200s in the language of this frame",
		    expression);
		return false;
	}
	failure_set(failure, ERROR_INVALID_ARGUMENT,
	    "give an expression that has an address in the selected frame, or a variable in a "
	    "register or the register itself, such as $rdi; of an outer frame, functions that were "
	    "called since keep only rbx, rbp and r12 to r15",
	    now->address ? "%.200s cannot be read"
			 : "%.200s has no place in memory: it is computed, optimized out, or in a "
			   "register",
	    expression);
	return false;
}

static void walk(struct origin *origin, struct failure *failure)
{
	struct replay *replay = origin->replay;
	bool on = true;

	for (long long steps = 0; on && steps < 4 * origin->limit; steps++) {
		size_t hops = json_array_size(origin->hops);

		if (hops >= (size_t)origin->limit)
			break;
		worker_progress(
		    replay_worker(replay), (double)hops, (double)origin->limit, "steps back");
		on = origin->now.in_register ? origin_from_register(origin, failure)
					     : origin_from_memory(origin, failure);
	}
	if (on)
		origin_finish(origin, ORIGIN_LIMIT,
		    "it goes on after %zu steps; raise hops, or rr_goto the last moment and ask "
		    "there",
		    json_array_size(origin->hops));
}

/* Adds who wrote what is there, before the block's present life. Takes over the text. */
static json_t *with_former(const struct origin *origin, json_t *text)
{
	json_auto_t *words = NULL;

	if (!origin->left)
		return text;
	words = where_words(json_object_get(origin->left, "frame"));
	return sentence_add(
	    text, json_sprintf(". What it holds was left there before, stored at %s in %s",
		      mi_text(origin->left, "moment"), json_string_value(words)));
}

static json_t *conclude(
    const struct origin *origin, const char *expression, const char *value, const json_t *where)
{
	json_auto_t *words = where_words(where);
	json_t *text;
	size_t hops = json_array_size(origin->hops);
	char part[60] = "", process[60] = "";

	if (origin->now.narrowed)
		snprintf(part, sizeof(part), " (bytes %u to %u)", origin->now.skipped,
		    origin->now.skipped + origin->now.size - 1);
	if (relatives_is_away(origin->replay))
		snprintf(process, sizeof(process), " of process %lld", replay_pid(origin->replay));
	text = json_sprintf("%.*s = %.*s%s %s %s, in %s%s, %zu step%s back", EXPRESSION_SHOWN,
	    expression, VALUE_SHOWN, value ? value : "?", part,
	    origin->end == ORIGIN_UNSET ? "is uninitialized:"
	    : ends[origin->end].found	? "comes from"
					: "was followed back this far:",
	    origin->text, json_string_value(words), process, hops, hops == 1 ? "" : "s");
	return with_former(origin, text);
}

/* The source around the line of the program's own code in which it stands; NULL: there is none. */
static json_t *source_here(struct replay *replay)
{
	json_auto_t *frames = frames_near(replay, FRAMES_MAX, FRAMES_BYTES);

	return frame_source(replay, frames_first_own(replay, frames));
}

/* memcpy and its like can be followed only by name, and a C library without debug symbols has no
 * names for the variants that it chooses. */
static void suggest_symbols(const struct origin *origin, json_t *answer)
{
	char name[80];

	origin_function(origin->replay, name, sizeof(name));
	if (origin->end == ORIGIN_UNKNOWN && !name[0])
		json_object_set_new(answer, "hint",
		    json_string("the code here has no names: with the debug symbols of the C "
				"library (on Debian, the package libc6-dbg) the way goes on"));
}

/* The program stands at the end of the way. */
static json_t *answer_of(struct origin *origin, const char *expression, const char *value)
{
	struct replay *replay = origin->replay;
	json_t *where = where_own(replay), *answer = json_object(), *source = source_here(replay);

	json_object_set_new(answer, "conclusion", conclude(origin, expression, value, where));
	json_object_set_new(answer, "kind", json_string(ends[origin->end].kind));
	json_object_set_new(answer, "moment", moment_name(replay, replay_now(replay)));
	json_object_set_new(answer, "tid", json_integer(replay_now(replay)->tid));
	if (relatives_is_away(replay)) {
		json_object_set_new(answer, "pid", json_integer(replay_pid(replay)));
		json_object_set_new(answer, "note",
		    json_sprintf("steps with a pid are in that process: to go to one, "
				 "rr_replay_start with this pid%s and rr_goto its moment there",
			images_get(replay, images_at(replay))->forked ? ", fork_pid true," : ""));
	}
	json_object_set(answer, "frame", where);
	json_object_set_new(answer, "source", source);
	json_object_set(answer, "input", origin->input);
	json_object_set(answer, "left_behind", origin->left);
	if (json_array_size(origin->hops))
		json_object_set(answer, "hops", origin->hops);
	suggest_symbols(origin, answer);
	json_decref(where);
	return answer;
}

/* Whether the bytes were written before the call began that has them on its stack. LIFETIME_FAILED:
 * the replay is lost. */
static enum lifetime_known is_stale(struct replay *replay, const struct origin_step *step,
    struct frame_lifetime *lifetime, struct failure *failure)
{
	cleanup_failure struct failure ignored = {0};
	enum lifetime_known known = LIFETIME_NONE;

	*lifetime = (struct frame_lifetime){0};
	if (position_go(replay, &step->read, &ignored))
		known = frame_lifetime_find_begin(replay, step->address, lifetime, &ignored);
	if (replay_worker(replay)->broken) {
		*failure = (struct failure){0};
		gdb_check(replay_gdb(replay), GDB_LOST, ERROR_GDB_FAILED, NULL, failure);
		return LIFETIME_FAILED;
	}
	if (known == LIFETIME_KNOWN && position_order(&step->write, &lifetime->stretch[0]) < 0)
		return LIFETIME_KNOWN;
	return LIFETIME_NONE;
}

/* If bytes on the way were written before the call began that has them on its stack, nobody set
 * them: an earlier call left them there. False if the replay is lost. */
static bool tell_unset(
    const struct origin *origin, const char *expression, json_t *answer, struct failure *failure)
{
	struct replay *replay = origin->replay;
	struct frame_lifetime lifetime;

	for (size_t i = 0; i < origin->step_count; i++) {
		enum lifetime_known known = is_stale(replay, &origin->steps[i], &lifetime, failure);
		if (known == LIFETIME_FAILED)
			return false;
		if (known != LIFETIME_KNOWN)
			continue;
		json_auto_t *begun = moment_name(replay, &lifetime.stretch[0]);
		json_object_set_new(answer, "conclusion",
		    json_sprintf("%.*s is uninitialized: the call of %s that began at %s has it on "
				 "its stack at 0x%llx, and nothing wrote it in that call: an "
				 "earlier call left "
				 "it there. %s",
			EXPRESSION_SHOWN, expression, lifetime.function, json_string_value(begun),
			origin->steps[i].address,
			json_string_value(json_object_get(answer, "conclusion"))));
		json_object_set_new(answer, "kind", json_string("uninitialized"));
		break;
	}
	return true;
}

static json_t *follow(struct origin *origin, const char *expression, struct failure *failure)
{
	cleanup_free char *value = NULL;
	char why[256];
	json_t *answer = NULL;

	if (!begin(origin, expression, failure))
		return NULL;
	value = values_text(origin->replay, expression, why, sizeof(why));
	walk(origin, failure);
	if (origin->end != ORIGIN_FAILED && position_update(origin->replay, failure))
		answer = answer_of(origin, expression, value);
	if (answer && !tell_unset(origin, expression, answer, failure)) {
		json_decref(answer);
		answer = NULL;
	}
	return answer;
}

json_t *tool_origin_of(
    struct replay *replay, const struct origin_of_args *args, struct failure *failure)
{
	struct origin origin = {
	    .replay = replay, .limit = args->hops, .writes = kernel_writes_learn(replay, failure)};
	json_t *answer;

	if (!origin.writes)
		return NULL;
	origin.hops = json_array();
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	answer = follow(&origin, args->expression, failure);
	visit_end(replay);
	json_decref(origin.hops);
	json_decref(origin.input);
	json_decref(origin.left);
	return excursion_answer(&excursion, answer, failure);
}
