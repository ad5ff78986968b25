/*
 * Code that finds the shadow of what an instruction is about to touch, see scan/heapshadow.h,
 * without touching the flags:
 *     mov [rcx slot], rcx; lea rcx, [operand]; mov [address slot], rcx
 *     movzx ecx, word [address slot + 3]; mov rcx, [shadows + 8 * rcx]; jrcxz on
 *     mov [rax slot], rax; mov rax, rcx; mov ecx, [address slot]; lea rax, [rax + rcx]
 *     (what is done with the shadow, which is at rax; rcx is free)
 *     mov rax, [rax slot]; on: mov rcx, [rcx slot]
 * Where there is no shadow, it goes the short way.
 *
 * The low 24 bits of an address are its place in a segment of the shadow, and the next 16 that of
 * the segment in the table. What has the same bits there and is elsewhere asks in vain.
 */
#ifndef RR_WARDEN_SOFTPMU_SHADOWCODE_H
#define RR_WARDEN_SOFTPMU_SHADOWCODE_H

#include "worker/softpmu/translate/emitter.h"
#include "worker/x86/accesses.h"

/* Up to where rax is the shadow of the access's first byte, by a table: ARENA_SHADOWS, or another
 * one. And what comes behind its use, for which there is room for a little more than 100 bytes. on:
 * what the beginning returned. */
uint32_t shadowcode_begin(struct emitter *e, uint32_t table, const struct access *access);
void shadowcode_end(struct emitter *e, uint32_t on);

/* An int3 asks where one of so many bytes is not 0. */
void shadowcode_put_question(struct emitter *e, uint32_t size);

/* The same, at most once: for an instruction that is judged by the bytes that its mask selects. At
 * most 64 bytes. */
void shadowcode_put_one_question(struct emitter *e, uint32_t size);

/* The largest piece of so many bytes: 8, 4, 2 or 1. */
uint32_t shadowcode_piece(uint32_t size);

#endif
