/*
 * A packet of gdb's by which it asks for a check, as "QRRWarden.check:f,1,7f30". Pure.
 */
#ifndef RR_WARDEN_SOFTPMU_PACKET_H
#define RR_WARDEN_SOFTPMU_PACKET_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

enum { PACKET_NUMBERS = 3 };

/* What stands behind its name, and the numbers behind that, in hexadecimal; 0 for those that are
 * not there. NULL: the packet has another name. */
static inline const char *packet_read(
    const char *packet, const char *name, uint64_t number[PACKET_NUMBERS])
{
	const size_t length = strlen(name);
	const char *comma;
	char *end;

	memset(number, 0, PACKET_NUMBERS * sizeof *number);
	if (strncmp(packet, name, length) != 0)
		return NULL;
	comma = strchr(packet + length, ',');
	for (unsigned i = 0; comma && i < PACKET_NUMBERS; i++) {
		number[i] = strtoull(comma + 1, &end, 16);
		comma = strchr(end, ',');
	}
	return packet + length;
}

#endif
