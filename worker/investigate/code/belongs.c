/*
 * See belongs.h. The words come from the mappings, the symbols and the stack pointer of the present
 * moment.
 */
#include "worker/investigate/code/belongs.h"

#include <stdio.h>
#include <string.h>
#include "worker/read/values/accessed.h"
#include "worker/read/names/symbol.h"

#define STACK_NEAR (8ULL * 1024 * 1024)
#define STACK_STEP (1024ULL * 1024) /* an access may be so far from the stack pointer */
#define USER_TOP   0x800000000000ULL
#define LOW_HALF   0xffff800000000000ULL /* below it and from USER_TOP on, no address is valid */

bool belongs_allows(const struct mapping *mapping, enum right access)
{
	static const size_t right[] = {[ACCESS_READ] = 0, [ACCESS_WRITE] = 1, [ACCESS_EXECUTE] = 2};

	return mapping && (!mapping->rights[0] || mapping->rights[right[access]] != '-');
}

bool belongs_to_code(const struct mappings *mappings, unsigned long long address)
{
	return belongs_allows(mappings_find(mappings, address), ACCESS_EXECUTE);
}

bool belongs_nowhere(unsigned long long address)
{
	return address >= USER_TOP && address < LOW_HALF;
}

static bool has_no_access(const struct mapping *mapping)
{
	return mapping && strncmp(mapping->rights, "---", 3) == 0;
}

bool belongs_to_full_stack(
    struct replay *replay, const struct mappings *mappings, unsigned long long address)
{
	const struct mapping *mapping = mappings_find(mappings, address), *above;
	unsigned long long stack = 0;

	if ((mapping && !has_no_access(mapping)) || address < BELONGS_NULL_PAGES ||
	    !accessed_number(replay, "(unsigned long)$sp", &stack))
		return false;
	above = mappings_above(mappings, mapping ? mapping->end : address);
	if (!above || has_no_access(above) || !belongs_allows(above, ACCESS_WRITE))
		return false;
	/* A guard of a thread's stack ends where the stack begins. */
	if (mapping)
		return above->start == mapping->end && stack < above->end &&
		       stack + STACK_STEP > address && address + STACK_STEP > stack;
	return above->start - address < STACK_NEAR && stack < above->end &&
	       stack + STACK_NEAR > above->start;
}

static void tell_unmapped(struct replay *replay, const struct mappings *mappings,
    unsigned long long address, char text[BELONGS_MAX])
{
	unsigned long long stack = 0;

	if (address < BELONGS_NULL_PAGES)
		snprintf(text, BELONGS_MAX, "not mapped: a null pointer, or an offset from it");
	else if (belongs_nowhere(address))
		snprintf(text, BELONGS_MAX,
		    "no valid address: garbage, or freed memory that was used again");
	else if (address >= -BELONGS_NULL_PAGES)
		snprintf(text, BELONGS_MAX,
		    "not the program's: -1 or another small negative number, such as MAP_FAILED, "
		    "or "
		    "an offset from it");
	else if (address >= USER_TOP)
		snprintf(text, BELONGS_MAX, "the kernel's, not the program's");
	else if (belongs_to_full_stack(replay, mappings, address))
		snprintf(text, BELONGS_MAX, "not mapped: below the stack, which overflowed");
	else if (accessed_number(replay, "(unsigned long)$sp", &stack) &&
		 !mappings_find(mappings, stack) && stack < address + STACK_STEP &&
		 address < stack + STACK_STEP)
		snprintf(text, BELONGS_MAX,
		    "not mapped, and near the stack pointer, which is not in a stack either");
	else
		snprintf(text, BELONGS_MAX, "not mapped");
}

static void name_mapped(struct replay *replay, const struct mapping *mapping,
    unsigned long long address, char text[BELONGS_MAX])
{
	unsigned long long stack = 0;
	struct symbol symbol;

	if (accessed_number(replay, "(unsigned long)$sp", &stack) && stack >= mapping->start &&
	    stack < mapping->end)
		snprintf(text, BELONGS_MAX, "the stack");
	else if (symbol_at(replay, address, &symbol))
		snprintf(text, BELONGS_MAX, "%.300s", symbol.said);
	else
		snprintf(text, BELONGS_MAX, "%.200s",
		    mapping->file[0]	     ? mapping->file
		    : has_no_access(mapping) ? "a mapping without a file"
					     : "the heap, or another mapping");
}

void belongs_tell(struct replay *replay, const struct mappings *mappings,
    unsigned long long address, enum right access, char text[BELONGS_MAX])
{
	static const char *const lacks[] = {[ACCESS_READ] = ": not readable",
	    [ACCESS_WRITE] = ": read-only",
	    [ACCESS_EXECUTE] = ": not code"};
	const struct mapping *mapping = mappings_find(mappings, address);
	size_t length;

	if (!mapping) {
		tell_unmapped(replay, mappings, address, text);
		return;
	}
	name_mapped(replay, mapping, address, text);
	length = strlen(text);
	if (mapping->rights[0])
		snprintf(text + length, BELONGS_MAX - length, ", mapped %s%s%s", mapping->rights,
		    has_no_access(mapping)	       ? ": no access"
		    : !belongs_allows(mapping, access) ? lacks[access]
						       : "",
		    belongs_to_full_stack(replay, mappings, address)
			? ", the guard of the stack, which overflowed"
			: "");
}

const char *belongs_why(
    const struct mappings *mappings, unsigned long long address, enum right access)
{
	static const char *const lacks[] = {[ACCESS_READ] = "which is not readable",
	    [ACCESS_WRITE] = "which is read-only",
	    [ACCESS_EXECUTE] = "where no code is but data"};
	const struct mapping *mapping = mappings_find(mappings, address);

	if (mapping)
		return belongs_allows(mapping, access) ? ""
		       : has_no_access(mapping)	       ? "where the program has no access"
						       : lacks[access];
	if (belongs_nowhere(address))
		return "which is no valid address";
	return access == ACCESS_EXECUTE ? "where nothing is mapped" : "";
}
