#include "tests/differ/points.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "worker/x86/classify.h"

enum { STACK_ROOM = 256, SKIP_MAX = 8 };

/* Two in the data, two on the stack, 8 bytes each. */
void points_watch(struct debug_registers *debug, uint64_t *seed, bool reads)
{
	const uint64_t kind = reads ? 0xb : 0x9;

	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		uint64_t random = code_random(seed);

		debug->rr_address[i] = i < 2 ? DATA_BASE + random % DATA_SIZE / 8 * 8
					     : STACK_BASE + STACK_SIZE / 2 + STACK_ROOM / 2 -
						   random % STACK_ROOM / 8 * 8;
		debug->rr_control |= 1ull << (2 * i) | kind << (16 + 4 * i);
	}
}

uint64_t points_instruction(const struct code *code, uint64_t *seed)
{
	uint64_t at = code->block[code_random(seed) % CODE_BLOCKS];
	struct classified in;

	for (uint64_t skip = code_random(seed) % SKIP_MAX; skip > 0; skip--) {
		size_t offset = at - CODE_BASE;

		if (!classify(at, code->bytes + offset, code->length - offset, &in) ||
		    in.control != CONTROL_ON)
			break;
		at += in.z.length;
	}
	return at;
}

void points_break(struct debug_registers *debug, struct conditions *conditions,
    const struct code *code, uint64_t *seed)
{
	static const char never[] = "X3,220027"; /* 0 */
	static const char *const often[] = {
	    "X7,26000022010f27",	       /* $rax & 1 */
	    "X7,26000322030727",	       /* $rdx % 3 */
	    "X8,2600071a22001527",	       /* *(long *)$rsp < 0 */
	    "X5,2600011927",		       /* *(int *)$rbx */
	    "X8,2600052600021427",	       /* $rdi < $rcx */
	    "Xe,26000020000b220121000d220027", /* $rax ? 0 : 1 */
	};
	char packet[80];

	conditions_connect(conditions, 0);
	debug->rr_control = 0;
	for (unsigned i = 0; i < 2; i++) {
		debug->rr_address[i] = points_instruction(code, seed);
		debug->rr_control |= 1ull << (2 * i);
		snprintf(packet, sizeof packet, "$Z1,%" PRIx64 ",1;%s#00", debug->rr_address[i],
		    i == 0 ? never : often[code_random(seed) % (sizeof often / sizeof *often)]);
		conditions_take(conditions, packet, strlen(packet));
	}
}
