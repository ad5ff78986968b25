/*
 * What lies in one place of the code is one site, whatever the descriptors refer to.
 */
#include "worker/investigate/files/open_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/investigate/files/open_words.h"
#include "worker/serve/sentence.h"
#include "worker/trace/dump/grow.h"

#define KINDS_MAX 3 /* what the descriptors of one site are, in words */

/* ---- Numbers --------------------------------------------------------------------------------- */

static void write_run(struct open_site *site)
{
	static const char rest[] = ", ...";
	char run[40];
	size_t length;

	if (site->full)
		return;
	if (site->begun == site->last)
		snprintf(run, sizeof(run), "%s%d", site->length ? ", " : "", site->last);
	else
		snprintf(run, sizeof(run), "%s%d%s%d", site->length ? ", " : "", site->begun,
		    site->last == site->begun + 1 ? ", " : "-", site->last);
	length = strlen(run);
	site->full = site->length + length + sizeof(rest) > sizeof(site->numbers);
	snprintf(site->numbers + site->length, sizeof(site->numbers) - site->length, "%s",
	    site->full ? rest : run);
	site->length += length;
}

static void add_number(struct open_site *site, int fd)
{
	if (site->count++ == 0) {
		site->begun = fd;
	} else if (fd != site->last + 1) {
		write_run(site);
		site->begun = fd;
	}
	site->last = fd;
}

/* ---- Kinds ----------------------------------------------------------------------------------- */

/* Takes over the words. */
static void add_kind(struct open_site *site, json_t *kind)
{
	json_t *other;
	bool known = false;
	size_t i;

	json_array_foreach(site->kinds, i, other) known |= json_equal(other, kind);
	if (!known && i < KINDS_MAX)
		json_array_append(site->kinds, kind);
	else if (!known)
		site->further++;
	json_decref(kind);
}

static json_t *kinds_words(const struct open_site *site)
{
	json_t *words = sentence_join(site->kinds, "; ");

	return site->further ? sentence_add(words, json_string("; and others")) : words;
}

/* ---- Sites ----------------------------------------------------------------------------------- */

/* Takes over the words. */
static struct open_site *site_of(struct open_sites *sites, json_t *opened)
{
	struct open_site *list;

	for (size_t i = 0; i < sites->count; i++)
		if (json_equal(sites->list[i].opened, opened)) {
			json_decref(opened);
			return &sites->list[i];
		}
	list = grow_list(sites->list, sites->count, sizeof(*list));
	if (!list) {
		json_decref(opened);
		return NULL;
	}
	sites->list = list;
	list[sites->count] = (struct open_site){.opened = opened, .kinds = json_array()};
	return &list[sites->count++];
}

/* Who opened it; NULL: that was not looked at. */
static json_t *opened_words(
    const struct open_descriptor *descriptor, const struct seen_calls *seen, long long pid)
{
	const struct input_call *made = descriptor->slot.made;
	const struct seen_call *call = made ? seen_calls_get(seen, made) : NULL;
	const char *how = open_words_how(descriptor);
	long long of;

	if (!made)
		return json_string("not in the recording: the program began with them, and perhaps "
				   "with others that it did not use");
	if (!call)
		return NULL;
	of = kernel_writes_process(seen->writes, made->tid);
	if (of != pid)
		return json_sprintf("%s%s%s, in process %lld, from which this one was forked", how,
		    *how ? " by " : "", json_string_value(call->where), of);
	return json_sprintf("%s%s%s", how, *how ? " by " : "", json_string_value(call->where));
}

static void add(struct open_sites *sites, const struct open_descriptor *descriptor,
    const struct seen_calls *seen, long long pid)
{
	const struct input_call *made = descriptor->slot.made;
	const struct seen_call *call = made ? seen_calls_get(seen, made) : NULL;
	json_t *opened = opened_words(descriptor, seen, pid);
	struct open_site *site = opened ? site_of(sites, opened) : NULL;

	if (!site)
		return;
	sites->grouped++;
	site->otherwise = *open_words_how(descriptor) != '\0';
	if (call && call->moment && (!site->first || made->entered < site->event)) {
		site->first = call->moment;
		site->event = made->entered;
	}
	add_number(site, descriptor->fd);
	if (made)
		add_kind(site, open_words(descriptor, seen));
}

static int by_count(const void *left, const void *right)
{
	const struct open_site *a = left, *b = right;

	if (a->count != b->count)
		return a->count > b->count ? -1 : 1;
	return a->event < b->event ? -1 : a->event > b->event;
}

void open_sites_group(struct open_sites *sites, const struct open_list *open, bool since,
    const struct seen_calls *seen, long long pid)
{
	for (size_t i = 0; i < open->count; i++)
		if (open->list[i].since || !since)
			add(sites, &open->list[i], seen, pid);
	for (size_t i = 0; i < sites->count; i++)
		write_run(&sites->list[i]);
	if (sites->count)
		qsort(sites->list, sites->count, sizeof(*sites->list), by_count);
}

json_t *open_site_json(const struct open_site *site)
{
	json_t *json = json_pack("{s:O, s:I, s:s}", "opened", site->opened, "count",
	    (json_int_t)site->count, "descriptors", site->numbers);

	if (json_array_size(site->kinds))
		json_object_set_new(json, "what", kinds_words(site));
	if (site->first)
		json_object_set(json, "first", site->first);
	return json;
}

void open_sites_free(struct open_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++) {
		json_decref(sites->list[i].opened);
		json_decref(sites->list[i].kinds);
	}
	free(sites->list);
	*sites = (struct open_sites){0};
}
