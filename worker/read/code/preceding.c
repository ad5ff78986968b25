#include "worker/read/code/preceding.h"

#include <stdlib.h>
#include "worker/gdb/mi/mi.h"
#include "worker/read/values/accessed.h"
#include "worker/read/names/symbol.h"

#define FUNCTION_MAX 65536 /* bytes of a function that we decode */

unsigned long long preceding_begin(struct replay *replay, unsigned long long end)
{
	json_auto_t *results = NULL;
	struct symbol symbol;
	json_t *list;

	if (!symbol_at(replay, end - 1, &symbol) || symbol.offset >= FUNCTION_MAX ||
	    gdb_command(replay_gdb(replay), &results, "-data-disassemble -s %llu -e %llu -- 0",
		end - 1 - symbol.offset, end) != GDB_DONE)
		return 0;
	list = json_object_get(results, "asm_insns");
	return mi_address(json_array_get(list, json_array_size(list) - 1), "address");
}

bool preceding_may_call(struct replay *replay, unsigned long long address)
{
	struct instruction instruction;

	for (unsigned bytes = CALL_BYTES_MIN; bytes <= CALL_BYTES_MAX; bytes++)
		if (accessed_instruction(replay, address - bytes, &instruction) &&
		    instruction.calls && instruction.length == bytes)
			return true;
	return false;
}
