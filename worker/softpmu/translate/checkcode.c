/*
 * For each access, see shadowcode.h:
 *     for each eight bytes of it, or fewer: mov rcx, [rax + 8 * i]; jrcxz next; int3; next:
 * Most accesses are not to the heap, and go the short way. Behind the int3, which asks, it goes on.
 */
#include "worker/softpmu/translate/checkcode.h"

#include "worker/softpmu/translate/copycode.h"
#include "worker/softpmu/translate/definecode.h"
#include "worker/softpmu/translate/returncode.h"
#include "worker/softpmu/translate/sequences.h"
#include "worker/softpmu/translate/shadowcode.h"

enum { RCX = 1, PIECE = 8 };

static void put_look(struct emitter *e, const struct access *access, uint32_t size)
{
	const uint32_t on =
	    shadowcode_begin(e, access->writes ? ARENA_WRITTEN : ARENA_SHADOWS, access);

	if (accesses_is_masked(access))
		shadowcode_put_one_question(e, size);
	else
		shadowcode_put_question(e, size);
	shadowcode_end(e, on);
}

/* Of repetitions that end with their count: the last one. */
static void put_look_at_last(struct emitter *e, const struct access *access, uint32_t size)
{
	struct access last = *access;

	if (!access->counted || size > PIECE || access->index != ACCESS_NO_REGISTER)
		return;
	last.index = RCX;
	last.scale = (uint8_t)size;
	last.displacement -= size;
	put_look(e, &last, size);
}

bool checkcode_asks(const struct space *space, uint64_t address)
{
	return space->watches.check_number &&
	       space->watches.ways->asks(space->watches.check, address);
}

void checkcode_put(struct emitter *e, const struct classified *in)
{
	const struct watches *watches = &e->space->watches;
	struct accesses accesses;

	if (watches->check_number == 0)
		return;
	if (watches->ways->writes) {
		definecode_put(e, in);
		return;
	}
	if (watches->ways->asks(watches->check, in->address))
		sequence_question(e, PLACE_CHECKS);
	copycode_put(e, in);
	returncode_put(e, in);
	accesses_of(in->bytes, in->z.length, in->address, &accesses);
	for (unsigned i = 0; i < accesses.count; i++) {
		const struct access *access = &accesses.list[i];
		const uint32_t size = watches->ways->looks_at(watches->check, in->address, access);

		if (size == 0 || size > 64)
			continue;
		put_look(e, access, size);
		put_look_at_last(e, access, size);
	}
}
