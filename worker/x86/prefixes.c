/*
 * Must skip every prefix that the processor ignores, too.
 */
#include "worker/x86/prefixes.h"

static bool is_legacy(uint8_t byte)
{
	switch (byte) {
	case 0x26: /* es */
	case 0x2e: /* cs */
	case 0x36: /* ss */
	case 0x3e: /* ds */
	case 0x64: /* fs */
	case 0x65: /* gs */
	case 0x66: /* size of the operand */
	case 0x67: /* size of the address */
	case 0xf2: /* repne */
	case 0xf3: /* rep */
		return true;
	default:
		return false;
	}
}

struct prefixes prefixes_of(const uint8_t *bytes, size_t length)
{
	struct prefixes found = {0};

	for (; found.length < length; found.length++) {
		const uint8_t byte = bytes[found.length];
		const bool is_rex = (byte & 0xf0) == 0x40;

		if (!is_rex && !is_legacy(byte))
			break;
		found.rex = is_rex ? byte : 0;
		found.short_operand |= byte == 0x66;
	}
	return found;
}
