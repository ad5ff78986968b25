/*
 * Lists of directories for a sandbox. Must never contain a directory that was not checked for the
 * call.
 */
#include "worker/serve/places.h"

#include <string.h>
#include <unistd.h>

static void add(const char **list, size_t *count, const char *directory)
{
	if (directory && *directory && *count < PLACES_MAX - 1)
		list[(*count)++] = directory;
}

void places_read(struct places *places, const char *directory)
{
	add(places->read_only, &places->read_count, directory);
}

void places_hide(struct places *places, const char *directory)
{
	size_t kept = 0;

	for (size_t i = 0; i < places->read_count; i++)
		if (strcmp(places->read_only[i], directory) != 0)
			places->read_only[kept++] = places->read_only[i];
	places->read_only[kept] = NULL;
	places->read_count = kept;
	places->hides = true;
}

void places_write(struct places *places, const char *directory)
{
	add(places->read_write, &places->write_count, directory);
}

void places_begin(struct places *places, const struct worker_config *config)
{
	size_t index;
	json_t *directory;

	*places = (struct places){0};
	json_array_foreach(config->read_only, index, directory)
	    places_read(places, json_string_value(directory));
	places->parents[0] = json_string_value(json_array_get(config->parents, 0));
	places->listed[0] = json_string_value(json_array_get(config->listed, 0));
	json_array_foreach(config->read_write, index, directory)
	    places_write(places, json_string_value(directory));
}

void places_apply(const struct places *places, struct sandbox_policy *policy)
{
	policy->read_only = places->read_only;
	policy->read_write = places->read_write;
	policy->parents = places->parents;
	policy->listed = places->listed;
	policy->lists_only = places->hides;
	policy->parent = getpid();
}
