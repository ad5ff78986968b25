/*
 * rr_open_files: the descriptors that the process has open at a moment, by the code that opened
 * them. Which ones these are, the trace tells; names and places are read at the calls.
 *
 * LIMIT: descriptors that clone makes (CLONE_PIDFD), that recvmmsg brings or that an ioctl makes
 * are not followed: the numbers of later ones show that some are missing, and the answer says so.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include "worker/investigate/files/open_sites.h"
#include "worker/investigate/files/open_words.h"
#include "worker/investigate/search/search.h"
#include "worker/moment/excursion.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/moment_parse.h"
#include "worker/moment/position.h"
#include "worker/moment/visit.h"
#include "worker/serve/handlers.h"
#include "worker/serve/sentence.h"
#include "worker/session/images.h"
#include "worker/trace/dump/grow.h"

#define LOOKED_MAX    600 /* descriptors whose calls are visited */
#define MESSAGES_MAX  100 /* calls of recvmsg that are visited */
#define ROUNDS_MAX    4
#define ANCESTORS_MAX 64
#define CONTROL_LEAST 20 /* bytes that come with a descriptor */

struct open_files {
	struct replay *replay;
	const struct kernel_writes *writes;
	struct open_question question;
	struct open_list open;
	struct seen_calls seen;
	struct pipe_given *given;
	struct received *received;
	int ancestors[ANCESTORS_MAX]; /* pids */
	size_t ancestor_count;
	size_t messages_left; /* not looked at */
	bool growth;	      /* only what was opened since `from` is listed */
	bool cut;
	struct open_sites sites;
	size_t asked; /* descriptors that are listed */
};

/* ---- What the trace tells -------------------------------------------------------------------- */

static bool learn_calls(struct open_files *files, const struct moment *at, struct failure *failure)
{
	const struct inputs *inputs;
	long long last;

	files->writes = kernel_writes_learn(files->replay, failure);
	if (!files->writes)
		return false;
	inputs = &files->writes->inputs;
	last = inputs->count ? inputs->calls[inputs->count - 1].event : 0;
	if (inputs->unseen) {
		failure_set(failure, ERROR_UNSUPPORTED, "record with `rr-warden rr record -n`",
		    "rr kept some system calls in its buffer, or ran 32-bit code, and does not "
		    "tell their arguments");
		return false;
	}
	if ((inputs->cut || files->writes->broken_off) && at->event > last) {
		failure_set(failure, ERROR_LIMIT, "ask for an earlier moment",
		    "the recording has more system calls than can be looked through: they are "
		    "known up to event %lld",
		    last);
		return false;
	}
	return true;
}

static int parent_of(const struct open_files *files, int pid)
{
	const struct inputs *inputs = &files->writes->inputs;

	for (size_t i = 0; i < inputs->task_count; i++)
		if (inputs->tasks[i].kind == INPUT_CLONE && inputs->tasks[i].tid == pid)
			return (int)kernel_writes_process(files->writes, inputs->tasks[i].parent);
	return 0;
}

/* Those whose descriptors the session's process may have: its own, its parent, and so on. */
static void find_ancestors(struct open_files *files)
{
	for (int pid = files->question.pid; pid && files->ancestor_count < ANCESTORS_MAX;
	     pid = parent_of(files, pid))
		files->ancestors[files->ancestor_count++] = pid;
}

static bool is_related(const struct open_files *files, int tid)
{
	const long long pid = kernel_writes_process(files->writes, tid);

	for (size_t i = 0; i < files->ancestor_count; i++)
		if (files->ancestors[i] == pid)
			return true;
	return false;
}

/* Whether so much was written besides the bytes that it may be descriptors. */
static bool may_bring(
    const struct inputs *inputs, size_t *range, size_t number, const struct input_call *call)
{
	unsigned long long bytes = 0, header = call->args[1];

	while (*range < inputs->range_count && inputs->ranges[*range].call < number)
		++*range;
	for (; *range < inputs->range_count && inputs->ranges[*range].call == number; ++*range)
		if (inputs->ranges[*range].address < header ||
		    inputs->ranges[*range].address >= header + sizeof(struct msghdr))
			bytes += inputs->ranges[*range].length;
	return bytes >= (unsigned long long)call->result + CONTROL_LEAST;
}

static void want_messages(struct open_files *files)
{
	const struct inputs *inputs = &files->writes->inputs;
	size_t range = 0, wanted = 0;

	for (size_t i = 0; i < inputs->count; i++) {
		const struct input_call *call = &inputs->calls[i];

		if (call->event >= files->question.at)
			break;
		if (!call->is_call || call->result < 0 || strcmp(call->name, "recvmsg") != 0 ||
		    !may_bring(inputs, &range, i, call) || !is_related(files, call->tid))
			continue;
		if (wanted++ < MESSAGES_MAX)
			seen_calls_want(&files->seen, call);
		else
			files->messages_left++;
	}
}

/* ---- What the visits tell -------------------------------------------------------------------- */

static void note_given(struct open_files *files, const struct seen_call *seen, size_t number)
{
	struct pipe_given *list =
	    grow_list(files->given, files->question.given_count, sizeof(*list));

	if (!list)
		return;
	files->question.given = files->given = list;
	list[files->question.given_count++] =
	    (struct pipe_given){number, {seen->fds[0], seen->fds[1]}};
}

static void note_received(struct open_files *files, const struct seen_call *seen, size_t number)
{
	for (size_t i = 0; i < seen->fd_count; i++) {
		struct received *list =
		    grow_list(files->received, files->question.received_count, sizeof(*list));

		if (!list)
			return;
		files->question.received = files->received = list;
		list[files->question.received_count++] = (struct received){number, seen->fds[i]};
	}
}

/* The descriptors of what was visited from the first on. */
static void note_seen(struct open_files *files, size_t first)
{
	for (size_t i = first; i < files->seen.count; i++) {
		const struct seen_call *seen = &files->seen.list[i];
		const size_t number = (size_t)(seen->call - files->writes->inputs.calls);

		if (strcmp(seen->call->name, "recvmsg") == 0)
			note_received(files, seen, number);
		else if (seen->fd_count == 2)
			note_given(files, seen, number);
	}
}

static bool is_asked(const struct open_files *files, const struct open_descriptor *descriptor)
{
	return descriptor->since || !files->growth;
}

/* Evenly among those that are asked for. */
static void want_calls(struct open_files *files)
{
	size_t every, at = 0;

	files->asked = 0;
	for (size_t i = 0; i < files->open.count; i++)
		files->asked += is_asked(files, &files->open.list[i]);
	every = (files->asked + LOOKED_MAX - 1) / LOOKED_MAX;
	for (size_t i = 0; i < files->open.count; i++)
		if (is_asked(files, &files->open.list[i]) && at++ % every == 0)
			open_words_want(&files->open.list[i], &files->seen);
}

/* What the visits tell of pipes and messages can change which descriptors there are. */
static bool find(struct open_files *files, struct failure *failure)
{
	struct worker *worker = replay_worker(files->replay);

	find_ancestors(files);
	want_messages(files);
	for (int round = 0; round < ROUNDS_MAX; round++) {
		const size_t visited = files->seen.visited;

		seen_calls_visit(&files->seen);
		note_seen(files, visited);
		open_list_free(&files->open);
		if (!open_list_find(&files->question, &files->open))
			return failure_no_memory(failure);
		want_calls(files);
		if (files->seen.count == files->seen.visited || !worker_goes_on(worker))
			break;
	}
	files->cut = worker->interrupt != INTERRUPT_NONE;
	return true;
}

/* ---- The answer ------------------------------------------------------------------------------ */

static const char *are(size_t count)
{
	return count == 1 ? "descriptor" : "descriptors";
}

static json_t *conclude(const struct open_files *files, const json_t *moment)
{
	json_t *words = json_sprintf("at %s the process has %zu %s open", json_string_value(moment),
	    files->open.count, are(files->open.count));
	const struct open_site *most = files->sites.list;

	if (files->growth)
		words = sentence_add(
		    words, json_sprintf("; at `from` it had %zu: %zu opened since, %zu closed",
			       files->open.before, files->asked, files->open.closed));
	if (files->sites.count && most->first)
		words = sentence_add(words,
		    json_sprintf("; the most: %zu, %s%s", most->count,
			most->otherwise ? "" : "opened by ", json_string_value(most->opened)));
	return words;
}

/* Why there may be others, or these may not all be there; NULL: they are known. */
static json_t *doubt_of(const struct open_files *files)
{
	const struct open_list *open = &files->open;

	if (open->doubt.what)
		return json_sprintf("not all may be known: thread %d called %s at event %lld, %s",
		    open->doubt.call->tid, open->doubt.call->name, open->doubt.call->event,
		    open->doubt.what);
	if (files->messages_left)
		return json_sprintf("not all may be known: %zu calls of recvmsg, which may have "
				    "brought descriptors, were not looked at",
		    files->messages_left);
	if (open->perhaps)
		return json_sprintf("not all may be known: whether exec closed %zu %s cannot be "
				    "known",
		    open->perhaps, are(open->perhaps));
	return NULL;
}

static json_t *list_sites(const struct open_files *files, size_t limit, json_t **others)
{
	json_t *list = json_array();
	size_t left = files->asked;

	for (size_t i = 0; i < files->sites.count && i < limit; i++) {
		left -= files->sites.list[i].count;
		json_array_append_new(list, open_site_json(&files->sites.list[i]));
	}
	*others = left ? json_sprintf("%zu %s%s", left, are(left),
			     files->sites.grouped < files->asked
				 ? ", some of them opened by calls that were not looked at"
				 : ", opened at other places")
		       : NULL;
	return list;
}

static json_t *answer_of(struct open_files *files, const json_t *moment, size_t limit)
{
	json_t *others, *list, *answer;

	open_sites_group(
	    &files->sites, &files->open, files->growth, &files->seen, files->question.pid);
	list = list_sites(files, limit, &others);
	answer = json_pack("{s:o, s:O, s:I, s:o*, s:o*}", "conclusion", conclude(files, moment),
	    "moment", moment, "descriptors", (json_int_t)files->open.count, "others", others,
	    "doubt", doubt_of(files));
	if (files->growth) {
		json_object_set_new(answer, "opened", json_integer((json_int_t)files->asked));
		json_object_set_new(answer, "closed", json_integer((json_int_t)files->open.closed));
	}
	answer_add_list(answer, "sites", list);
	if (files->cut) {
		replay_worker(files->replay)->half_read = false;
		json_object_set_new(answer, "cut_off",
		    json_string("the time is over: not all calls were looked at; give a longer "
				"deadline"));
	}
	return answer;
}

static void files_free(struct open_files *files)
{
	open_sites_free(&files->sites);
	free(files->given);
	free(files->received);
	open_list_free(&files->open);
	seen_calls_free(&files->seen);
}

/* The program stands at the moment. */
static json_t *answer_here(struct open_files *files, const struct open_files_args *args,
    const struct moment *from, struct failure *failure)
{
	struct replay *replay = files->replay;
	const struct moment at = *replay_now(replay);
	json_auto_t *moment = NULL;

	if (!learn_calls(files, &at, failure))
		return NULL;
	position_take_sum(replay);
	moment = moment_name(replay, replay_now(replay));
	files->question = (struct open_question){.inputs = &files->writes->inputs,
	    .threads = files->writes->threads,
	    .thread_count = files->writes->thread_count,
	    .pid = (int)replay_pid(replay),
	    .tid = at.tid,
	    .from = from->event ? from->event : images_start(replay) + 1,
	    .at = at.event};
	files->seen = (struct seen_calls){.replay = replay, .writes = files->writes};
	return find(files, failure) ? answer_of(files, moment, (size_t)args->limit) : NULL;
}

/* NULL if it failed for another reason than that the time was over. */
static json_t *answer_unreached(const struct replay *replay, struct failure *failure)
{
	struct worker *worker = replay_worker(replay);

	if (worker->broken || !worker->interrupt)
		return NULL;
	failure_forget(failure);
	worker->half_read = false;
	return json_pack("{s:s, s:s}", "conclusion", "nothing is known of the descriptors",
	    "cut_off", "the time was over before the moment was reached: give a longer deadline");
}

json_t *tool_open_files(
    struct replay *replay, const struct open_files_args *args, struct failure *failure)
{
	struct open_files files = {.replay = replay, .growth = args->from != NULL};
	json_t *here = moment_name(replay, replay_now(replay)), *answer = NULL;
	const char *at = args->at ? args->at : json_string_value(here);
	struct moment stretch[2];

	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (search_stretch(replay, args->from, at, stretch, failure))
		answer = moment_go_to(replay, &stretch[1], failure)
			     ? answer_here(&files, args, &stretch[0], failure)
			     : NULL;
	if (!answer)
		answer = answer_unreached(replay, failure);
	visit_end(replay);
	files_free(&files);
	json_decref(here);
	return excursion_answer(&excursion, answer, failure);
}
