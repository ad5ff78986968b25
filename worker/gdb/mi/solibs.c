/*
 * gdb says of a library that it has loaded where it lies, and of one that it has not any more only
 * its name: so that is kept.
 */
#include "worker/gdb/mi/solibs.h"

#include <stdlib.h>
#include <string.h>
#include "sandbox/cleanup.h"
#include "worker/gdb/mi/mi.h"
#include "worker/serve/texthash.h"

bool solibs_begin(struct solibs *solibs)
{
	*solibs = (struct solibs){.known = json_object()};
	return solibs->known != NULL;
}

void solibs_end(struct solibs *solibs)
{
	json_decref(solibs->known);
}

static unsigned long long hash_of(const char *id, const json_t *results)
{
	cleanup_free char *ranges = json_dumps(json_object_get(results, "ranges"), JSON_COMPACT);

	return texthash_add(texthash_add(TEXTHASH_EMPTY, id), ranges);
}

static void forget(struct solibs *solibs, const char *id)
{
	const json_t *known = json_object_get(solibs->known, id);

	solibs->sum -= (unsigned long long)json_integer_value(json_object_get(known, "hash"));
	json_object_del(solibs->known, id);
}

void solibs_note(struct solibs *solibs, const char *name, const json_t *results)
{
	const bool loaded = strcmp(name, "library-loaded") == 0;
	const char *id = mi_text(results, "id");
	unsigned long long hash;

	if (!id || (!loaded && strcmp(name, "library-unloaded") != 0))
		return;
	solibs->changes++;
	forget(solibs, id);
	if (!loaded)
		return;
	hash = hash_of(id, results);
	solibs->sum += hash;
	json_object_set_new(solibs->known, id,
	    json_pack("{s:I, s:O?}", "hash", (json_int_t)hash, "ranges",
		json_object_get(results, "ranges")));
}

bool solibs_ranges(
    const struct solibs *solibs, struct solib_range *ranges, size_t max, size_t *count)
{
	const json_t *library, *range;
	const char *id;
	size_t i;

	*count = 0;
	json_object_foreach(solibs->known, id, library)
	{
		json_array_foreach(json_object_get(library, "ranges"), i, range)
		{
			if (*count == max)
				return false;
			ranges[(*count)++] = (struct solib_range){
			    mi_address(range, "from"), mi_address(range, "to")};
		}
	}
	return true;
}
