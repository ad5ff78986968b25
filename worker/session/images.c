/*
 * Finds the images of the process from the execs in the trace. Runs nothing but rr dump.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include "worker/session/images.h"
#include "worker/serve/sentence.h"
#include "worker/session/replay_inside.h"
#include "sandbox/wire/scrub.h"
#include "worker/trace/dump/execs.h"

#define FILE_SHOWN   400
#define IMAGES_SHOWN 50

struct images {
	long long last_event; /* of the trace; 0: not known */
	struct image *list;
	size_t count, at;
	struct forked_by forked_by;
	unsigned first; /* number of the first one among the images of all processes */
	int killed_pid, killed_by;
	int pid, status;	   /* of the process, as from waitpid; -1: not known */
	bool unfinished;	   /* see images_is_unfinished */
	bool open;		   /* see images_is_open */
	long long together;	   /* see images_together */
	bool had_threads;	   /* see images_had_threads */
	uint64_t handled;	   /* signals, bit N-1 */
	struct signal_cause cause; /* see images_cause */
	struct work work; /* of the trace; nothing is known if it was not read to its end */
};

static bool add(struct images *images, struct image image)
{
	struct image *bigger = reallocarray(images->list, images->count + 1, sizeof(*images->list));

	if (!bigger)
		return false;
	images->list = bigger;
	bigger[images->count++] = image;
	return true;
}

void images_free(struct images *images)
{
	if (!images)
		return;
	for (size_t i = 0; i < images->count; i++)
		free(images->list[i].file);
	free(images->list);
	work_free(&images->work);
	free(images);
}

/* The execs of one process; a child has one more image, from its fork on. */
static bool take(struct images *images, struct execs *execs, long long pid, bool forked)
{
	bool ok = true;

	if (forked)
		ok = add(images,
		    (struct image){
			.forked = true,
			.program = execs_program(execs, (int)pid, images->forked_by.event + 1),
		    });
	for (size_t i = 0; ok && i < execs->count; i++) {
		struct exec *exec = &execs->list[i];
		if (exec->pid != pid)
			continue;
		if (images->count == IMAGES_MAX) {
			execs->cut = true;
			break;
		}
		ok = add(images, (struct image){
				     .event = exec->event,
				     .file = exec->file,
				     .by_thread = exec->by_thread,
				     .program = exec->event,
				     .call = {.event = exec->call.event,
					 .ticks = exec->call.ticks,
					 .tid = exec->call.tid,
					 .pc = exec->call.pc},
				 });
		exec->file = NULL;
	}
	/* Nothing is known about it: rr replay will find it, or report that it does not exist. */
	return ok && (images->count || add(images, (struct image){0}));
}

static void warn(struct replay *replay, const struct execs *execs)
{
	if (execs->cut && execs->count)
		json_array_append_new(replay->warnings,
		    json_sprintf(
			"the recording is long: calls of exec are known only up to event %lld",
			execs->last));
}

static void note_killed(struct replay *replay, const struct execs *execs)
{
	for (size_t i = 0; i < execs->ending_count; i++) {
		const struct ending *ending = &execs->endings[i];
		if (!WIFSIGNALED(ending->status) || ending->pid == replay->pid ||
		    ending->tid != ending->pid)
			continue;
		replay->images->killed_pid = ending->pid;
		replay->images->killed_by = WTERMSIG(ending->status);
	}
}

int images_killed_pid(const struct replay *replay, int *signal)
{
	*signal = replay->images->killed_by;
	return replay->images->killed_pid;
}

int images_status(const struct replay *replay)
{
	return replay->images->status;
}

struct signal_cause images_cause(const struct replay *replay)
{
	return replay->images ? replay->images->cause : (struct signal_cause){0};
}

long long images_together(const struct replay *replay)
{
	return replay->images->together;
}

bool images_had_threads(const struct replay *replay)
{
	return !replay->images || replay->images->had_threads;
}

bool images_is_unfinished(const struct replay *replay)
{
	return replay->images && replay->images->unfinished;
}

bool images_is_open(const struct replay *replay)
{
	return replay->images && replay->images->open;
}

bool images_handle_signal(const struct replay *replay, int number)
{
	return replay->images->handled >> (number - 1) & 1;
}

static void note_fork(struct images *images, const struct execs *execs, int pid)
{
	const struct forking *fork = execs_fork(execs, pid);

	if (!fork)
		return;
	images->forked_by = (struct forked_by){
	    .pid = fork->parent,
	    .event = fork->event,
	    .call = {.event = fork->call.event,
		.ticks = fork->call.ticks,
		.tid = fork->call.tid,
		.pc = fork->call.pc},
	};
}

long long images_learn_fork(struct images *images, const struct execs *execs)
{
	if (images->forked_by.pid || !images->list[0].forked)
		return 0;
	note_fork(images, execs, images->pid);
	return images->list[0].program =
		   execs_program(execs, images->pid, images->forked_by.event + 1);
}

const struct forked_by *images_fork(const struct images *images)
{
	return &images->forked_by;
}

const struct forked_by *images_forked_by(const struct replay *replay)
{
	return images_fork(replay->images);
}

struct images *images_of_process(struct execs *execs, int pid, bool forked, unsigned first)
{
	struct images *images = calloc(1, sizeof(*images));

	if (!images)
		return NULL;
	images->first = first;
	images->pid = pid;
	images->status = execs_status(execs, pid);
	images->open = !execs->cut && execs->open;
	images->unfinished =
	    !execs->cut && images->status < 0 && execs_status(execs, execs->first_pid) < 0;
	note_fork(images, execs, pid);
	images->together = execs_together(execs, pid);
	images->had_threads = execs_had_threads(execs, pid);
	images->cause = execs_cause(execs, pid);
	images->handled = execs->handled & ~execs->unhandled;
	images->last_event = execs->cut ? 0 : execs->last;
	if (take(images, execs, pid, forked))
		return images;
	images_free(images);
	return NULL;
}

bool images_from_execs(struct replay *replay, struct execs *execs, struct failure *failure)
{
	images_free(replay->images);
	if (!replay->pid && replay->asked.worst)
		replay->asked.pid = replay->pid = execs_worst_pid(execs);
	if (!replay->pid)
		replay->pid = execs->first_pid;
	replay->images = images_of_process(
	    execs, (int)replay->pid, replay->from_fork || execs_fork(execs, (int)replay->pid), 0);
	if (!replay->images)
		return failure_no_memory(failure);
	warn(replay, execs);
	note_killed(replay, execs);
	if (!execs->cut) {
		replay->images->work = execs->work;
		execs->work = (struct work){0};
	}
	return true;
}

void images_take_over(struct images *images, struct images *before)
{
	bool was_killed = before->status >= 0 && WIFSIGNALED(before->status);

	work_free(&images->work);
	images->work = before->work;
	before->work = (struct work){0};
	images->killed_pid = before->killed_pid;
	images->killed_by = before->killed_by;
	if (images->killed_pid && images->killed_pid != images->pid)
		return;
	images->killed_pid = was_killed ? before->pid : 0;
	images->killed_by = was_killed ? WTERMSIG(before->status) : 0;
}

long long images_last_event(const struct replay *replay)
{
	return replay->images->last_event;
}

int images_share(const struct replay *replay, const struct moment *from, const struct moment *to,
    const struct moment *now)
{
	const struct work *work = &replay->images->work;
	double begin = work_before(work, from->event, from->ticks);
	double whole = work_before(work, to->event, to->ticks) - begin;
	double done = work_before(work, now->event, now->ticks) - begin;

	if (begin < 0 || whole * done <= 0 || done / whole > 1)
		return begin >= 0 && whole != 0 && done == 0 ? 0 : -1;
	return (int)(done * 100 / whole);
}

bool images_at_forked(const struct replay *replay)
{
	return images_at(replay) == 0 && images_get(replay, 0)->forked;
}

size_t images_count(const struct replay *replay)
{
	return replay->images->count;
}

size_t images_at(const struct replay *replay)
{
	return replay->images->at;
}

void images_set(struct replay *replay, size_t number)
{
	if (number < replay->images->count)
		replay->images->at = number;
}

unsigned images_next(const struct images *images)
{
	return images->first + (unsigned)images->count;
}

bool images_by_number(const struct images *images, unsigned number, size_t *image)
{
	*image = number - images->first;
	return number >= images->first && number < images_next(images);
}

unsigned images_number(const struct replay *replay)
{
	return replay->images->first + (unsigned)replay->images->at;
}

void images_leave(struct replay *replay)
{
	replay->images->at = SIZE_MAX;
}

const struct image *images_get(const struct replay *replay, size_t number)
{
	return &replay->images->list[number];
}

const char *images_program(const struct replay *replay)
{
	const char *file = images_get(replay, images_at(replay))->file;

	return file ? file : replay_command(replay);
}

size_t images_of_event(const struct replay *replay, long long event)
{
	size_t number = replay->images->count - 1;

	while (number > 0 && replay->images->list[number].event >= event)
		number--;
	return number;
}

static long long start_of(const struct replay *replay, size_t number)
{
	long long event = images_get(replay, number)->event;

	return event ? event + 1 : 0;
}

long long images_start(const struct replay *replay)
{
	return start_of(replay, replay->images->at);
}

long long images_last_start(const struct replay *replay)
{
	return start_of(replay, replay->images->count - 1);
}

json_t *images_json(const struct replay *replay)
{
	json_t *list, *json;

	if (replay->images->count < 2)
		return NULL;
	list = json_array();
	for (size_t i = 0; i < replay->images->count && i < IMAGES_SHOWN; i++) {
		const struct image *image = images_get(replay, i);
		json = json_pack("{s:I}", "event", (json_int_t)image->event);
		if (image->file)
			json_object_set_new(json, "file",
			    scrub_json_middle(image->file, strlen(image->file), FILE_SHOWN, NULL));
		if (image->forked)
			json_object_set_new(json, "forked", json_true());
		answer_add_flag(json, "current", i == replay->images->at);
		json_array_append_new(list, json);
	}
	return list;
}
