/*
 * See copies.h.
 */
#include "worker/softpmu/calls/copies.h"

#include <string.h>

#include "worker/softpmu/base/memory.h"

enum {
	PART = 4096,
	STRING_MAX = 1 << 20, /* a longer one is not looked at */
};

static const char *const names[CHECK_COPIERS] = CHECK_COPIER_NAMES;

static bool is_checked(const char *name, const char *of)
{
	const size_t length = strlen(of);

	return strncmp(name, "__", 2) == 0 && strncmp(name + 2, of, length) == 0 &&
	       strcmp(name + 2 + length, "_chk") == 0;
}

uint8_t copies_number(const char *name)
{
	for (unsigned i = 1; i < CHECK_COPIERS; i++) {
		if (strcmp(name, names[i]) == 0 || is_checked(name, names[i]))
			return (uint8_t)i;
	}
	return strcmp(name, "__mempcpy") == 0  ? CHECK_MEMPCPY
	       : strcmp(name, "__stpcpy") == 0 ? CHECK_STPCPY
					       : CHECK_NO_COPIER;
}

/* strnlen; false: it cannot be read, or is too long. */
static bool length_of(pid_t tid, uint64_t string, uint64_t most, uint64_t *length)
{
	char part[PART];

	*length = 0;
	while (*length < most && *length < STRING_MAX) {
		const uint64_t at = string + *length, in_page = PART - at % PART;
		const size_t wanted = in_page < most - *length ? in_page : most - *length;
		size_t found;

		if (!memory_read(tid, at, part, wanted))
			return false;
		found = strnlen(part, wanted);
		*length += found;
		if (found < wanted)
			return true;
	}
	return *length == most;
}

/* The string is read with its end, if that is among the first `most` bytes. */
static bool take_source(pid_t tid, uint64_t most, struct copies_call *call, uint64_t *length)
{
	if (!length_of(tid, call->source, most, length))
		return false;
	call->source_size = *length + (*length < most);
	return true;
}

bool copies_of(
    uint8_t copier, pid_t tid, const struct user_regs_struct *regs, struct copies_call *call)
{
	uint64_t length, before;

	*call = (struct copies_call){.destination = regs->rdi,
	    .destination_size = regs->rdx,
	    .source = regs->rsi,
	    .source_size = regs->rdx};
	switch ((enum check_copier)copier) {
	case CHECK_MEMCPY:
	case CHECK_MEMPCPY:
		return true;
	case CHECK_STRCPY:
	case CHECK_STPCPY:
		if (!take_source(tid, UINT64_MAX, call, &length))
			return false;
		call->destination_size = length + 1;
		return true;
	case CHECK_STRNCPY:
	case CHECK_STPNCPY:
		return take_source(tid, regs->rdx, call, &length);
	case CHECK_STRCAT:
	case CHECK_STRNCAT:
		if (!take_source(
			tid, copier == CHECK_STRCAT ? UINT64_MAX : regs->rdx, call, &length) ||
		    !length_of(tid, call->destination, UINT64_MAX, &before))
			return false;
		call->destination_size = before + length + 1;
		return true;
	case CHECK_NO_COPIER:
	case CHECK_COPIERS:
		break;
	}
	return false;
}

bool copies_overlap(uint8_t copier, const struct copies_call *call)
{
	const bool whole = copier == CHECK_MEMCPY || copier == CHECK_MEMPCPY;
	const uint64_t apart = call->destination - call->source;

	if (!whole && apart + COPIES_NEAR >= 2 * COPIES_NEAR)
		return false;
	if (call->source == call->destination)
		return !whole && call->source_size > 0;
	return call->source < call->destination
		   ? call->destination - call->source < call->source_size &&
			 call->destination_size > 0
		   : call->source - call->destination < call->destination_size &&
			 call->source_size > 0;
}
