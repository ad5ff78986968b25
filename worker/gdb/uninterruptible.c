/*
 * The list of brief commands, by how they begin.
 */
#include <string.h>
#include "worker/gdb/uninterruptible.h"

bool uninterruptible_is(const char *command)
{
	static const char console[] = "console \"";
	static const char *const mi[] = {"-break-delete", "-break-enable", "-break-disable",
	    "-break-after", "-break-list", "-gdb-", "-exec-arguments", "-thread-select",
	    "-thread-info", "-stack-select-frame", "-data-list-register-",
	    "-data-read-memory-bytes"};
	static const char *const consoles[] = {
	    "when", "checkpoint", "delete checkpoint", "handle ", "maintenance "};

	for (size_t i = 0; i < sizeof(mi) / sizeof(*mi); i++)
		if (strncmp(command, mi[i], strlen(mi[i])) == 0)
			return true;
	command = strncmp(command, "-interpreter-exec", 17) == 0 ? strstr(command, console) : NULL;
	if (!command)
		return false;
	command += sizeof(console) - 1;
	for (size_t i = 0; i < sizeof(consoles) / sizeof(*consoles); i++)
		if (strncmp(command, consoles[i], strlen(consoles[i])) == 0)
			return true;
	return false;
}
