/*
 * rr_who_printed: from a text to the write that printed it, and from there to the call in the
 * program's own code that made the text. The answer says what cannot be known: the text of another
 * process, a constant of the program, a text that was in the buffer before the process began.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "sandbox/wire/scrub.h"
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/investigate/printed/formatted.h"
#include "worker/investigate/printed/printed_search.h"
#include "worker/serve/handlers.h"
#include "worker/moment/excursion.h"
#include "worker/read/frames/frame.h"
#include "worker/read/frames/frames.h"
#include "worker/moment/position.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/session/launch/trace_output.h"
#include "worker/read/code/source.h"

#define FRAMES_MAX   40
#define FRAMES_BYTES 10000
#define SHOWN_MAX    400  /* bytes of the line */
#define VECTOR_MAX   1024 /* pieces of one writev, as Linux bounds it */
#define WRITES_SHOWN 8

/* Where the program stood, and what it was doing there. */
struct scene {
	json_t *frames; /* owned */
	json_t *own;	/* borrowed; NULL: no frame is the program's own */
	json_t *moment; /* owned */
	int tid;
};

static void scene_forget(struct scene *scene)
{
	json_decref(scene->frames);
	json_decref(scene->moment);
	*scene = (struct scene){0};
}

static struct scene scene_here(struct replay *replay)
{
	struct scene scene = {.frames = frames_near(replay, FRAMES_MAX, FRAMES_BYTES),
	    .tid = replay_selected(replay)->tid};
	json_t *own;

	frames_without_rr(scene.frames);
	own = frames_first_own(replay, scene.frames);
	if (own && frame_is_own(replay, own))
		scene.own = own;
	scene.moment = moment_name(replay, replay_now(replay));
	return scene;
}

static bool same_text(const json_t *a, const json_t *b, const char *key)
{
	return json_equal(json_object_get(a, key), json_object_get(b, key));
}

/* Whether both are in the same line of the program's own code. */
static bool same_place(const struct scene *a, const struct scene *b)
{
	return a->own && b->own && same_text(a->own, b->own, "function") &&
	       same_text(a->own, b->own, "at");
}

/* Strips the C library's internal prefixes: callers know __GI___libc_write as write. */
static const char *plain_name(const char *name)
{
	static const char *const before[] = {"__GI_", "__libc_", "_IO_", "__"};

	for (size_t i = 0; i < sizeof(before) / sizeof(*before); i++)
		if (strncmp(name, before[i], strlen(before[i])) == 0)
			name += strlen(before[i]);
	return name;
}

/* The function that the program's own frame called, such as "printf"; "" if it called none. */
static const char *called_from_own(const struct scene *scene)
{
	const char *name = NULL;
	json_t *frame;
	size_t i;

	json_array_foreach(scene->frames, i, frame)
	{
		if (frame == scene->own)
			break;
		name = mi_text(frame, "function");
	}
	return name ? plain_name(name) : "";
}

/* A frame of the C library's function that ends the program and writes what its buffers hold. */
static bool is_exiting(const struct scene *scene)
{
	json_t *frame;
	size_t i;

	json_array_foreach(scene->frames, i, frame)
	{
		const char *name = mi_text(frame, "function");
		if (name && strcmp(plain_name(name), "exit") == 0)
			return true;
	}
	return false;
}

/* "fmt (p.c:5), with printf" */
static void tell_own(const struct scene *scene, char *text, size_t size)
{
	const char *function = mi_text(scene->own, "function"), *at = mi_text(scene->own, "at");
	const char *called = called_from_own(scene);
	const json_t *inner = json_array_get(scene->frames, 0);

	if (scene->own)
		snprintf(text, size, "%s (%.600s)%s%s", function ? function : "??",
		    at ? at : "no source", called[0] ? " with " : "", called);
	else if (is_exiting(scene))
		snprintf(text, size, "exit, at the program's end,");
	else
		snprintf(text, size, "%s, called from code without source lines,",
		    mi_text(inner, "function") ? plain_name(mi_text(inner, "function")) : "code");
}

/* The address of byte `offset` of the call's data; 0: not known. */
static unsigned long long address_of(
    struct replay *replay, const struct write_call *call, size_t offset)
{
	unsigned long long pointer = 8, part[2];
	uint8_t bytes[16];

	if (!call->vector)
		return call->buffer + offset;
	accessed_number(replay, "sizeof(void *)", &pointer);
	for (unsigned long long i = 0; i < call->count && i < VECTOR_MAX; i++) {
		size_t wanted = 2 * (size_t)pointer;
		if (pointer > 8 ||
		    !accessed_whole(replay, call->buffer + i * wanted, bytes, wanted))
			return 0;
		for (size_t field = 0; field < 2; field++) {
			part[field] = 0;
			for (size_t k = 0; k < pointer; k++)
				part[field] |= (unsigned long long)bytes[field * pointer + k]
					       << (8 * k);
		}
		if (offset < part[1])
			return part[0] + offset;
		offset -= part[1];
	}
	return 0;
}

static json_t *shown_text(const struct printed *printed, const struct printed_match *match)
{
	size_t end, from = printed_line_of(printed, match, &end);

	if (match->at - from > SHOWN_MAX / 2)
		from = match->at - SHOWN_MAX / 2;
	if (end < match->at + match->length)
		end = match->at + match->length;
	return scrub_json_middle(
	    printed->streams[match->stream].text + from, end - from, SHOWN_MAX, NULL);
}

static struct moment moment_of(const struct write_call *call)
{
	return (struct moment){
	    .event = call->event, .ticks = call->ticks, .tid = call->tid, .pc = call->pc};
}

/* The writes that printed a text, if there are several. */
static void add_writes(struct replay *replay, json_t *json, const struct printed *printed,
    const struct printed_match *match)
{
	const struct printed_piece *piece = match->piece;
	json_auto_t *writes = json_array();
	size_t at = match->at;

	while (piece && at < match->at + match->length && json_array_size(writes) < WRITES_SHOWN) {
		struct moment moment = moment_of(piece->call);
		size_t end = piece->at + piece->length, until = match->at + match->length;
		json_t *write = json_pack("{s:o}", "text",
		    scrub_json_middle(printed->streams[match->stream].text + at,
			(end < until ? end : until) - at, SHOWN_MAX / 2, NULL));
		if (piece->pid == replay_pid(replay)) {
			json_object_set_new(write, "moment", moment_name(replay, &moment));
		} else {
			json_object_set_new(write, "pid", json_integer(piece->pid));
			json_object_set_new(write, "event", json_integer(moment.event));
		}
		json_array_append_new(writes, write);
		at = end;
		piece = printed_piece_at(printed, match->stream, at);
	}
	if (json_array_size(writes) > 1)
		json_object_set(json, "writes", writes);
}

/* Where the program stands at the write, it has its whole name; it is the first of `writes` too. */
static void add_moment(json_t *json, json_t *moment)
{
	json_t *first = json_array_get(json_object_get(json, "writes"), 0);

	json_object_set(json, "moment", moment);
	if (first)
		json_object_set(first, "moment", moment);
}

/* What we know without going there. */
static json_t *begin_answer(
    struct replay *replay, const struct printed *printed, const struct printed_found *found)
{
	const struct printed_match *match = &found->match;
	int fd = match->piece->call->fd;
	char name[16];
	json_t *json = json_object();

	json_object_set_new(json, "conclusion", json_null()); /* first */
	json_object_set_new(json, "text", shown_text(printed, match));
	if (fd != 1)
		json_object_set_new(
		    json, "stream", json_string(printed_stream_name(fd, name, sizeof(name))));
	if (found->count > 1)
		json_object_set_new(
		    json, "match", json_sprintf("%zu of %zu", found->number, found->count));
	add_writes(replay, json, printed, match);
	return json;
}

static json_t *of_another_process(
    struct replay *replay, json_t *json, const struct printed_piece *piece)
{
	json_object_set_new(json, "conclusion",
	    json_sprintf("process %d wrote it, at event %lld; this session replays process %lld",
		piece->pid, piece->call->event, replay_pid(replay)));
	json_object_set_new(json, "pid", json_integer(piece->pid));
	json_object_set_new(json, "event", json_integer(piece->call->event));
	json_object_set_new(json, "hint",
	    json_sprintf("rr_replay_start with pid=%d, and ask there who printed it", piece->pid));
	return json;
}

/* Whether the whole text lies in one piece from that address on, where its first byte is. */
static bool is_in_one_piece(
    struct replay *replay, const struct printed_match *match, unsigned long long address)
{
	const struct printed_piece *piece = match->piece;
	size_t last = match->at + match->length - 1;

	return last < piece->at + piece->length &&
	       address_of(replay, piece->call, last - piece->at) == address + match->length - 1;
}

/* Who made the text, in one sentence, and where the session can go to see it. `whole`: what is
 * known of its first byte holds for all of it. */
static void conclude(struct replay *replay, json_t *json, const struct scene *write,
    enum formatted kind, struct scene *made, bool whole)
{
	char wrote[1024], formatted[1024];
	json_t *sentence = NULL;

	tell_own(write, wrote, sizeof(wrote));
	switch (kind) {
	case FORMATTED_FOUND:
		tell_own(made, formatted, sizeof(formatted));
		sentence =
		    same_place(write, made)
			? json_sprintf("%s printed it", formatted)
			: json_sprintf("%s made the text; it stayed in a buffer until %s wrote it",
			      formatted, wrote);
		break;
	case FORMATTED_CONSTANT:
		sentence = json_sprintf("%s printed it: %sa constant, which came with the program",
		    wrote, whole ? "" : "its first part is ");
		break;
	case FORMATTED_BEFORE:
		sentence = json_sprintf("%s wrote it; the text was there before this process, or "
					"its program, began (fork copies unwritten output)",
		    wrote);
		break;
	case FORMATTED_FAILED:
		sentence = json_sprintf("%s wrote it; what made the text was not found", wrote);
		break;
	}
	json_object_set_new(json, "conclusion", sentence);
	if (kind == FORMATTED_FOUND) {
		json_object_set_new(json, "source", frame_source(replay, made->own));
		json_t *formatting =
		    json_pack("{s:O,s:i}", "moment", made->moment, "tid", made->tid);
		if (!same_place(write, made)) {
			frames_finish(replay, made->frames);
			json_object_set(formatting, "frames", made->frames);
		}
		json_object_set_new(json, "formatted", formatting);
	} else {
		json_object_set_new(json, "source", frame_source(replay, write->own));
	}
}

/* Goes to the write, and from there to what made the text. The program stands at one of them. */
static json_t *look(
    struct replay *replay, json_t *json, const struct printed_match *match, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);
	const struct printed_piece *piece = match->piece;
	struct moment moment = moment_of(piece->call);
	struct failure why = {0};
	struct scene write, made = {0};
	enum formatted kind = FORMATTED_FAILED;
	unsigned long long address;
	bool whole;

	if (!position_go(replay, &moment, failure))
		return NULL;
	write = scene_here(replay);
	add_moment(json, write.moment);
	json_object_set_new(json, "tid", json_integer(write.tid));
	address = address_of(replay, piece->call, match->at - piece->at);
	whole = is_in_one_piece(replay, match, address);
	if (address)
		kind = formatted_find(replay, address, &why);
	if (kind == FORMATTED_FOUND && !position_update(replay, &why))
		kind = FORMATTED_FAILED;
	if (kind == FORMATTED_FOUND)
		made = scene_here(replay);
	if (!worker->broken) {
		conclude(replay, json, &write, kind, &made, whole);
		frames_finish(replay, write.frames);
		json_object_set(json, "frames", write.frames);
	}
	if (kind == FORMATTED_FAILED && why.message[0])
		json_object_set_new(json, "formatting_unknown", json_string(why.message));
	scene_forget(&write);
	scene_forget(&made);
	if (worker_goes_on(worker))
		return json;
	*failure = why;
	return NULL;
}

static void tell_nearest(
    const struct printed *printed, const struct printed_match *near, char *text, size_t size)
{
	json_auto_t *shown = shown_text(printed, near);

	snprintf(text, size, "nearest, at event %lld: %.200s",
	    near->piece ? near->piece->call->event : 0, json_string_value(shown));
}

/* Whether it is in a stream that the call did not ask for. Fills *failure then. */
static bool fail_elsewhere(const struct trace_output *trace_output,
    const struct printed_wanted *wanted, struct failure *failure)
{
	struct printed_wanted anywhere = *wanted;
	struct printed_found found = {0};
	cleanup_failure struct failure ignored = {0};
	char asked[16], other[16], hint[FAILURE_HINT_MAX];
	bool there;

	anywhere.fd = -1;
	anywhere.nth = 0;
	there = wanted->fd >= 0 &&
		printed_search(&trace_output->printed, &anywhere, &found, &ignored) &&
		found.match.piece;
	if (!there)
		return false;
	snprintf(hint, sizeof(hint), "it was printed to %s: leave stream out",
	    printed_stream_name(found.match.piece->call->fd, other, sizeof(other)));
	failure_set(failure, ERROR_NOT_FOUND, hint, "%.200s was not printed to %s",
	    wanted->text ? wanted->text : wanted->pattern,
	    printed_stream_name(wanted->fd, asked, sizeof(asked)));
	return true;
}

/* How much was printed, and which match is nearest. */
static void fail_unfound(const struct trace_output *trace_output,
    const struct printed_wanted *wanted, size_t count, struct failure *failure)
{
	const struct printed *printed = &trace_output->printed;
	const char *sought = wanted->text ? wanted->text : wanted->pattern;
	struct printed_match near;
	char hint[FAILURE_HINT_MAX];

	if (!count && fail_elsewhere(trace_output, wanted, failure))
		return;
	if (count)
		snprintf(hint, sizeof(hint), "nth is from 1 to %zu, or from -1 back", count);
	else if (!printed->total)
		snprintf(hint, sizeof(hint),
		    "nothing was written to the recording's standard streams, and the program's "
		    "own "
		    "files and pipes do not count. What was still in a buffer when the program "
		    "crashed was never written: rr_find_memory finds it at the end");
	else if (wanted->text && printed_nearest(printed, wanted->text, wanted->fd, &near))
		tell_nearest(printed, &near, hint, sizeof(hint));
	else
		snprintf(hint, sizeof(hint), "rr_output shows what was printed");
	if (count)
		failure_set(failure, ERROR_NOT_FOUND, hint, "%.200s was printed %zu time%s only",
		    sought, count, count == 1 ? "" : "s");
	else
		failure_set(failure, ERROR_NOT_FOUND, hint,
		    "%.200s is not in the %llu bytes that were printed%s%s%s", sought,
		    printed->total,
		    printed->cut ? ", of which only the first 16 MB are searched" : "",
		    trace_output->broken_off[0] ? "; " : "", trace_output->broken_off);
}

static bool read_wanted(const struct replay *replay, const struct who_printed_args *args,
    struct printed_wanted *wanted, struct failure *failure)
{
	static const int fds[] = {[PRINTED_ANY] = -1, [PRINTED_STDOUT] = 1, [PRINTED_STDERR] = 2};

	*wanted = (struct printed_wanted){
	    args->text, args->pattern, fds[args->stream], args->nth, (int)replay_pid(replay)};
	if (!args->text == !args->pattern)
		failure_set(failure, ERROR_INVALID_ARGUMENT,
		    "text is searched for literally; pattern is a regular expression",
		    "give either text or pattern");
	else
		return true;
	return false;
}

static json_t *answer(struct replay *replay, const struct trace_output *trace_output,
    const struct printed_found *found, const struct who_printed_args *args, struct failure *failure)
{
	json_t *json = begin_answer(replay, &trace_output->printed, found), *result;

	if (found->match.piece->pid != replay_pid(replay))
		return of_another_process(replay, json, found->match.piece);
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	result = look(replay, json, &found->match, failure);
	if (!result)
		json_decref(json);
	if (result && args->move && !replay_worker(replay)->broken) {
		frames_select_own(replay, result);
		excursion_stay(&excursion);
		return result;
	}
	return excursion_answer(&excursion, result, failure);
}

json_t *tool_who_printed(
    struct replay *replay, const struct who_printed_args *args, struct failure *failure)
{
	const struct trace_output *trace_output;
	struct printed_wanted wanted;
	struct printed_found found;

	if (!read_wanted(replay, args, &wanted, failure))
		return NULL;
	trace_output = trace_output_learn(replay, failure);
	if (!trace_output || !printed_search(&trace_output->printed, &wanted, &found, failure))
		return NULL;
	if (found.match.piece)
		return answer(replay, trace_output, &found, args, failure);
	fail_unfound(trace_output, &wanted, found.count, failure);
	return NULL;
}
