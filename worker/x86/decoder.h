/*
 * Zydis's decoder of 64-bit code, made at its first use.
 */
#ifndef WORKER_X86_DECODER_H
#define WORKER_X86_DECODER_H

#include <Zydis/Zydis.h>
#include <stdbool.h>

static inline const ZydisDecoder *decoder(void)
{
	static ZydisDecoder instance;
	static bool ready;

	if (!ready) {
		ZydisDecoderInit(&instance, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
		ready = true;
	}
	return &instance;
}

#endif
