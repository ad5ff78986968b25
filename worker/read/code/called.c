/*
 * Reads the code before the address. A call through a pointer tells nothing any more: the pointer
 * may have changed.
 */
#include "worker/read/code/called.h"

#include <string.h>
#include "worker/read/values/accessed.h"
#include "worker/read/code/preceding.h"

bool called_before(struct replay *replay, unsigned long long back, struct symbol *called)
{
	struct instruction call;

	*called = (struct symbol){0};
	for (unsigned long long at = back - CALL_BYTES_MAX; at < back; at++)
		if (accessed_instruction(replay, at, &call) && call.calls && call.is_direct &&
		    at + call.length == back)
			symbol_at(replay, call.target, called);
	called->name[strcspn(called->name, "@")] = '\0';
	return called->name[0] != '\0';
}
