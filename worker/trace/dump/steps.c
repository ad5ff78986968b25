/*
 * Sorts them once, so that whoever follows them needs one pass.
 */
#include "worker/trace/dump/steps.h"

#include <stdlib.h>

struct list {
	struct step *steps;
	size_t count;
};

static int compare(const void *left, const void *right)
{
	const struct step *a = left, *b = right;

	if (a->event != b->event)
		return a->event < b->event ? -1 : 1;
	return a->kind < b->kind ? -1 : a->kind > b->kind;
}

static void add(struct list *list, long long event, enum step_kind kind, const void *what)
{
	list->steps[list->count++] = (struct step){event, kind, what};
}

struct step *steps_in_order(const struct inputs *inputs, size_t *count)
{
	size_t most = 2 * inputs->count + inputs->unended_count + inputs->task_count;
	struct list list = {calloc(most + 1, sizeof(*list.steps)), 0};

	*count = 0;
	if (!list.steps)
		return NULL;
	for (size_t i = 0; i < inputs->count; i++) {
		const struct input_call *call = &inputs->calls[i];

		if (!call->is_call)
			continue;
		if (call->entered)
			add(&list, call->entered, STEP_BEGINS, call);
		add(&list, call->event, STEP_ENDS, call);
	}
	for (size_t i = 0; i < inputs->unended_count; i++)
		add(&list, inputs->unended[i].entered, STEP_BEGINS, &inputs->unended[i]);
	for (size_t i = 0; i < inputs->task_count; i++)
		add(&list, inputs->tasks[i].event, STEP_TASKS, &inputs->tasks[i]);
	qsort(list.steps, list.count, sizeof(*list.steps), compare);
	*count = list.count;
	return list.steps;
}
