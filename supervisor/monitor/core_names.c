/*
 * See core_names.h. Must never read a core file outside of the confined child.
 */
#include "supervisor/monitor/core_names.h"

#include <limits.h>
#include <stdint.h>
#include <string.h>

#include "sandbox/core/core_file.h"
#include "supervisor/monitor/inspector.h"

#define DEADLINE_MS 2000

static bool copy_bytes(void *owner, uint64_t offset, void *to, size_t size)
{
	memcpy(to, (unsigned char *)owner + offset, size);
	return true;
}

static size_t read_names(unsigned char *file, size_t length, unsigned char *names, size_t size)
{
	const struct core_bytes bytes = {copy_bytes, file, length};
	char why[CORE_WHY_MAX];
	struct core_file core;
	size_t used = 0;

	(void)core_file_read(&core, &bytes, why);
	for (size_t i = 0; i < core.mapped_count; i++) {
		size_t room = strlen(core.mapped[i].name) + 1;

		if (core.mapped[i].name[0] != '/' || room > PATH_MAX || room > size - used)
			continue;
		memcpy(names + used, core.mapped[i].name, room);
		used += room;
	}
	core_file_free(&core);
	return used;
}

size_t core_names_list(int core, const struct sandbox_policy *policy, char *names, size_t size)
{
	size_t length = inspector_run(core, read_names, policy, DEADLINE_MS, names, size);

	/* Whatever the child answered, the last name ends. */
	while (length > 0 && names[length - 1] != '\0')
		length--;
	return length;
}
