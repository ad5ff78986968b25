#include "worker/breaks/places/jit_code.h"

#include <string.h>
#include "worker/gdb/mi/mi.h"
#include "worker/breaks/places/hardware.h"
#include "worker/read/code/mappings.h"

/* gdb names a place in a file by its function, by its line, or by the symbol before it. A file
 * without symbols is found in the mappings. */
static bool is_generated(struct replay *replay, const json_t *bkpt)
{
	unsigned long long at = mi_address(bkpt, "addr");
	struct mappings *mappings;
	const struct mapping *mapping;
	bool generated;

	if (!at || mi_text(bkpt, "func") || mi_text(bkpt, "file") || mi_text(bkpt, "at"))
		return false;
	mappings = mappings_read(replay);
	mapping = mappings ? mappings_find(mappings, at) : NULL;
	generated = mappings && (!mapping || mapping->file[0] != '/');
	mappings_free(mappings);
	return generated;
}

json_t *jit_code_in_hardware(struct replay *replay, const json_t *made, const char *arguments)
{
	json_t *bkpt = json_incref(json_object_get(made, "bkpt"));

	return bkpt && is_generated(replay, bkpt) ? hardware_instead(replay, bkpt, arguments)
						  : bkpt;
}
