/*
 * Follows the descriptors of all tasks up to the moment, because a process inherits those of its
 * parent.
 */
#include "worker/trace/dump/open_list.h"

#include <stdlib.h>
#include <string.h>
#include "worker/trace/dump/steps.h"

struct following {
	const struct open_question *question;
	struct descriptors descriptors;
	struct open_list *list, before;
};

static bool is_open(const struct slot *slot)
{
	return slot->kind > SLOT_FREE;
}

static bool is_ours(const struct open_question *question, int tid)
{
	return threads_process(question->threads, question->thread_count, tid) == question->pid;
}

/* The one that is asked about, or else the first thread, or else any other of the process. */
static const struct task *our_task(const struct following *following)
{
	const struct open_question *question = following->question;
	const struct task *task = NULL;

	if (is_ours(question, question->tid))
		task = descriptors_find(&following->descriptors, question->tid);
	if (!task)
		task = descriptors_find(&following->descriptors, question->pid);
	for (size_t i = 0; i < question->thread_count && !task; i++)
		if (is_ours(question, question->threads[i].tid))
			task = descriptors_find(&following->descriptors, question->threads[i].tid);
	return task;
}

/* ---- What a process has ---------------------------------------------------------------------- */

static void add(
    const struct following *following, struct open_list *list, const struct slot *slot, size_t fd)
{
	const struct descriptors *descriptors = &following->descriptors;
	struct open_descriptor *to = &list->list[list->count++];

	*to = (struct open_descriptor){.fd = (int)fd, .slot = *slot, .other = -1};
	if (slot->file && descriptors->files)
		to->file = descriptors->files[slot->file - 1];
	to->concluded = slot->kind == SLOT_END && descriptors->pipes &&
			!descriptors->pipes[slot->pipe].verified;
}

/* Of copies, any one. */
static void find_others(struct following *following, struct open_list *list)
{
	int *ends = calloc(2 * following->descriptors.pipe_count + 1, sizeof(*ends));

	following->descriptors.out_of_memory |= !ends;
	for (size_t i = 0; ends && i < list->count; i++) {
		const struct slot *slot = &list->list[i].slot;

		if (slot->kind == SLOT_END)
			ends[2 * slot->pipe + slot->end] = list->list[i].fd + 1;
	}
	for (size_t i = 0; ends && i < list->count; i++) {
		const struct slot *slot = &list->list[i].slot;

		if (slot->kind == SLOT_END)
			list->list[i].other = ends[2 * slot->pipe + !slot->end] - 1;
	}
	free(ends);
}

/* Replaces what the list had. */
static void take(struct following *following, const struct task *task, struct open_list *list)
{
	const struct holding held = descriptors_held(task);
	size_t count = 0;

	for (size_t i = 0; i < held.count; i++)
		count += is_open(&held.slots[i]);
	open_list_free(list);
	list->list = calloc(count + 1, sizeof(*list->list));
	if (!list->list) {
		following->descriptors.out_of_memory = true;
		return;
	}
	for (size_t i = 0; i < held.count; i++)
		if (is_open(&held.slots[i]))
			add(following, list, &held.slots[i], i);
	find_others(following, list);
	list->perhaps = held.perhaps;
	list->doubt = held.doubt;
	list->known = true;
}

static bool has(const struct open_list *list, const struct open_descriptor *wanted)
{
	size_t low = 0, high = list->count;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (list->list[middle].fd < wanted->fd)
			low = middle + 1;
		else
			high = middle;
	}
	return low < list->count && list->list[low].fd == wanted->fd &&
	       list->list[low].slot.made == wanted->slot.made;
}

static void compare(struct open_list *list, const struct open_list *before)
{
	for (size_t i = 0; i < list->count; i++)
		list->list[i].since = !has(before, &list->list[i]);
	for (size_t i = 0; i < before->count; i++)
		list->closed += !has(list, &before->list[i]);
	list->before = before->count;
}

/* ---- The way to the moment ------------------------------------------------------------------- */

static void step_on(struct following *following, const struct step *step)
{
	bool began;

	switch (step->kind) {
	case STEP_TASKS:
		descriptors_task(&following->descriptors, step->what);
		break;
	case STEP_BEGINS:
		descriptors_begin(&following->descriptors, step->what);
		break;
	case STEP_ENDS:
		descriptors_end(&following->descriptors, step->what, &began);
		break;
	}
}

static void follow(struct following *following, const struct step *steps, size_t count)
{
	const struct open_question *question = following->question;
	const struct task *task;
	bool passed = false;

	for (size_t i = 0; i < count && !following->descriptors.out_of_memory; i++) {
		if (steps[i].event >= question->at)
			break;
		if (!passed && steps[i].event >= question->from) {
			task = our_task(following);
			passed = task != NULL;
			if (task)
				take(following, task, &following->before);
		}
		step_on(following, &steps[i]);
	}
	task = our_task(following);
	if (task)
		take(following, task, following->list);
	if (!passed && task)
		take(following, task, &following->before);
}

bool open_list_find(const struct open_question *question, struct open_list *list)
{
	struct following following = {.question = question, .list = list};
	struct step *steps;
	size_t count;
	bool ok;

	following.descriptors.inputs = question->inputs;
	following.descriptors.given = question->given;
	following.descriptors.given_count = question->given_count;
	following.descriptors.received = question->received;
	following.descriptors.received_count = question->received_count;
	steps = steps_in_order(question->inputs, &count);
	if (steps)
		follow(&following, steps, count);
	ok = steps && !following.descriptors.out_of_memory;
	if (ok)
		compare(list, &following.before);
	open_list_free(&following.before);
	descriptors_free(&following.descriptors);
	free(steps);
	return ok;
}

void open_list_free(struct open_list *list)
{
	free(list->list);
	*list = (struct open_list){0};
}
