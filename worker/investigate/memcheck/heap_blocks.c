/*
 * rr_heap_blocks: what the heap holds at a moment, or what of it was made since another one.
 */
#include <stdlib.h>
#include "worker/investigate/memcheck/heap_sites.h"
#include "worker/moment/excursion.h"
#include "worker/moment/instant/moment_names.h"
#include "worker/serve/handlers.h"
#include "worker/serve/sentence.h"

static json_t *conclude(const struct heap_sites *sites, bool since)
{
	const struct heap_site *most = &sites->list[0];
	json_t *moment = moment_name(sites->pass.replay, &sites->reached), *words;
	char size[HEAP_SIZE_WORDS];

	heap_sites_size(size, sites->all.blocks, sites->all.bytes);
	words = json_sprintf("at %s the heap has %s", json_string_value(moment), size);
	json_decref(moment);
	if (since) {
		heap_sites_size(size, sites->chosen.blocks, sites->chosen.bytes);
		words = sentence_add(words, json_sprintf("; made since `from`: %s", size));
	}
	if (most->allocated) {
		heap_sites_size(size, most->way.blocks, most->way.bytes);
		words = sentence_add(words, json_sprintf("; the most: %s, allocated by %s", size,
						json_string_value(most->allocated)));
	}
	return words;
}

static json_t *say_followed(const struct heap_sites *sites)
{
	const struct heap_pass *pass = &sites->pass;

	return json_sprintf("%llu calls of %s%s%s", sites->calls, heap_pass_allocator(pass),
	    replay_is_from_fork(pass->replay) ? "; blocks from before the fork are not known" : "",
	    pass->table.state & CHECK_LOST ? "; there was no room to note some blocks" : "");
}

static json_t *answer_of(const struct heap_sites *sites, const struct heap_blocks_args *args)
{
	json_t *answer, *list, *others;

	if (sites->before)
		return json_pack("{s:s, s:s}", "conclusion", "nothing is known of the heap",
		    "cut_off",
		    "the time was over before the heap could be followed: give a longer deadline");
	list = heap_sites_list(sites, (size_t)args->limit, &others);
	answer = json_pack("{s:o, s:o, s:I, s:I, s:o*}", "conclusion",
	    conclude(sites, args->from != NULL), "moment",
	    moment_name(sites->pass.replay, &sites->reached), "blocks",
	    (json_int_t)sites->all.blocks, "bytes", (json_int_t)sites->all.bytes, "others", others);
	answer_add_list(answer, "sites", list);
	if (sites->end == SEARCH_CUT)
		json_object_set_new(answer, "cut_off",
		    json_string("the time is over: this is the heap at a moment before the one "
				"that was asked for; give a longer deadline"));
	json_object_set_new(answer, "followed", say_followed(sites));
	return answer;
}

json_t *tool_heap_blocks(
    struct replay *replay, const struct heap_blocks_args *args, struct failure *failure)
{
	struct heap_sites *sites = calloc(1, sizeof(*sites));
	json_t *here = moment_name(replay, replay_now(replay)), *answer = NULL;
	const char *at = args->at ? args->at : json_string_value(here);
	struct moment stretch[2];

	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	if (!sites)
		failure_no_memory(failure);
	else if (search_stretch(replay, args->from, at, stretch, failure) &&
		 heap_sites_find(sites, replay, &stretch[0], &stretch[1], false, failure))
		answer = answer_of(sites, args);
	if (sites)
		heap_sites_free(sites);
	free(sites);
	json_decref(here);
	return excursion_answer(&excursion, answer, failure);
}
