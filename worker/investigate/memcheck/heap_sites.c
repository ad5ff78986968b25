/*
 * The software counter follows the blocks by the ways to the calls that made them. A second pass
 * goes to the first call of each way, whose stack stands for all of them.
 */
#include "worker/investigate/memcheck/heap_sites.h"

#include <stdio.h>
#include <stdlib.h>
#include "worker/investigate/memcheck/call_way.h"
#include "worker/investigate/search/search.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/moment/position.h"

#define OUTER 2 /* callers behind the first frame */

/* ---- The passes ------------------------------------------------------------------------------ */

/* The table has them afterwards, from the first one on. */
static bool read_ways(struct heap_sites *sites, size_t first)
{
	heap_check_show_sites(sites->pass.replay, sites->since, sites->kind, first);
	return heap_check_read(sites->pass.replay, &sites->pass.table);
}

/* Ways that differ far out only are taken together where there are too many. */
static void read_chosen(struct heap_sites *sites)
{
	const struct check_table *table = &sites->pass.table;

	read_ways(sites, 0);
	sites->chosen.blocks = table->live;
	sites->chosen.bytes = table->live_bytes;
	while (table->sites > HEAP_SITES_MAX && sites->kind + 1 < CHECK_WAYS) {
		sites->kind++;
		read_ways(sites, 0);
	}
	do {
		for (size_t i = 0; i < CHECK_SITES && sites->count < table->sites &&
				   sites->count < HEAP_SITES_MAX;
		     i++)
			sites->list[sites->count++].way = table->site[i];
	} while (sites->count < table->sites && sites->count < HEAP_SITES_MAX &&
		 read_ways(sites, sites->count));
}

/* At a stop of the pass. */
static void read_all(struct heap_sites *sites)
{
	const unsigned long long since = sites->since;

	sites->since = 0;
	read_ways(sites, 0);
	sites->since = since;
	sites->calls = sites->pass.table.calls;
	sites->all.blocks = sites->pass.table.live;
	sites->all.bytes = sites->pass.table.live_bytes;
	if (sites->lost)
		sites->unknown = !heap_check_only_lost(sites->pass.replay);
	if (!sites->unknown)
		read_chosen(sites);
}

/* Where what is asked for begins. */
static enum search_end begin(struct heap_sites *sites, struct search *search,
    const struct moment *from, struct failure *failure)
{
	struct heap_pass *pass = &sites->pass;
	enum search_end end;

	if (from->event == 0)
		return heap_pass_begin(pass, search, failure);
	end = heap_pass_begin_to(pass, from, failure);
	sites->since = pass->table.calls;
	search->over = false;
	return end;
}

/* False with *failure filled, or with nothing that is known. */
static bool follow(struct heap_sites *sites, struct search *search, const struct moment *from,
    struct failure *failure)
{
	sites->end =
	    search_is_empty(search) ? SEARCH_WHOLE : heap_pass_find(&sites->pass, search, failure);
	if (sites->end == SEARCH_WHOLE && !search->bounded)
		heap_pass_without_malloc(failure);
	if (sites->end == SEARCH_WHOLE)
		return false;
	if (sites->end == SEARCH_ENOUGH)
		sites->end = begin(sites, search, from, failure);
	sites->before = sites->end == SEARCH_CUT;
	if (sites->end != SEARCH_WHOLE)
		return false;
	sites->end = heap_pass_run(search, failure);
	return sites->end != SEARCH_FAILED;
}

/* ---- Who called ------------------------------------------------------------------------------ */

static void take_call(void *context, struct heap_pass *pass)
{
	struct heap_sites *sites = context;
	struct replay *replay = pass->replay;

	for (size_t i = 0; i < sites->count; i++) {
		struct heap_site *site = &sites->list[i];

		if (site->way.first != pass->table.made || site->allocated)
			continue;
		site->allocated = call_way_words(replay, check_way_addresses(sites->kind), OUTER);
		site->first = moment_name(replay, replay_now(replay));
	}
}

/* Those that look alike become one. */
static void join(struct heap_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++)
		for (size_t j = i + 1; j < sites->count && sites->list[i].allocated; j++) {
			struct heap_site *to = &sites->list[i], *from = &sites->list[j];

			if (!json_equal(to->allocated, from->allocated))
				continue;
			to->way.blocks += from->way.blocks;
			to->way.bytes += from->way.bytes;
			if (from->way.first < to->way.first) {
				json_t *first = to->first;

				to->way.first = from->way.first;
				to->first = from->first;
				from->first = first;
			}
			from->way.blocks = from->way.bytes = 0;
			json_decref(from->allocated);
			from->allocated = NULL;
		}
}

static int by_bytes(const void *one, const void *other)
{
	const struct heap_site *a = one, *b = other;
	const bool known = a->allocated, known_other = b->allocated;

	if (known != known_other)
		return known ? -1 : 1;
	return a->way.bytes > b->way.bytes ? -1 : a->way.bytes < b->way.bytes;
}

/* Those that are known first. */
static void visit(struct heap_sites *sites)
{
	unsigned long long numbers[HEAP_SITES_MAX];

	for (size_t i = 0; i < sites->count; i++)
		numbers[i] = sites->list[i].way.way ? sites->list[i].way.first : 0;
	heap_pass_visit(&sites->pass, numbers, sites->count, take_call, sites);
	join(sites);
	qsort(sites->list, sites->count, sizeof(*sites->list), by_bytes);
}

bool heap_sites_find(struct heap_sites *sites, struct replay *replay, const struct moment *from,
    const struct moment *to, bool lost, struct failure *failure)
{
	const struct moment stretch[2] = {{.event = 0}, *to};
	struct search search = {.replay = replay};
	bool known = false;

	sites->pass = (struct heap_pass){.replay = replay, .kind = HEAP_PASS_BLOCKS};
	sites->lost = lost;
	if (search_begin(&search, replay, stretch, failure))
		known = follow(sites, &search, from, failure);
	else
		sites->before = search_failed(&search, failure) == SEARCH_CUT;
	if (known)
		read_all(sites);
	sites->reached = search.reached;
	if (!sites->before && sites->end == SEARCH_WHOLE && position_update(replay, failure)) {
		position_take_sum(replay);
		sites->reached = *replay_now(replay);
	}
	heap_pass_end(&sites->pass);
	search_end(&search);
	if (known && sites->count && sites->end != SEARCH_CUT)
		visit(sites);
	return known || !failure->message[0];
}

void heap_sites_free(struct heap_sites *sites)
{
	for (size_t i = 0; i < sites->count; i++) {
		json_decref(sites->list[i].allocated);
		json_decref(sites->list[i].first);
	}
}

/* ---- In words -------------------------------------------------------------------------------- */

void heap_sites_size(char text[HEAP_SIZE_WORDS], unsigned long long count, unsigned long long bytes)
{
	snprintf(text, HEAP_SIZE_WORDS, "%llu %s of %llu %s", count,
	    count == 1 ? "block" : "blocks", bytes, bytes == 1 ? "byte" : "bytes");
}

json_t *heap_sites_list(const struct heap_sites *sites, size_t limit, json_t **others)
{
	unsigned long long count = sites->chosen.blocks, bytes = sites->chosen.bytes;
	json_t *list = json_array();
	char size[HEAP_SIZE_WORDS];

	for (size_t i = 0; i < sites->count && json_array_size(list) < limit; i++) {
		const struct heap_site *site = &sites->list[i];

		if (!site->allocated)
			continue;
		json_array_append_new(
		    list, json_pack("{s:O, s:I, s:I, s:O}", "allocated", site->allocated, "blocks",
			      (json_int_t)site->way.blocks, "bytes", (json_int_t)site->way.bytes,
			      "first", site->first));
		count -= site->way.blocks;
		bytes -= site->way.bytes;
	}
	heap_sites_size(size, count, bytes);
	*others = count == 0 ? NULL
			     : json_sprintf("%s, of other calls%s", size,
				   sites->pass.wanted || sites->end == SEARCH_CUT
				       ? ": the time was over before all were looked at"
				       : "");
	return list;
}
