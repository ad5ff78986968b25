/*
 * The table of tracees: a hash table that grows. Entries are owned by the table; their addresses do
 * not change.
 */
#include "worker/softpmu/traps/tracees.h"

#include <sched.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>

#include "worker/softpmu/base/kernel.h"
#include "worker/softpmu/base/message.h"
#include "worker/softpmu/base/process.h"

enum { TRACEES_BUCKETS_FIRST = 64 }; /* a power of two */

struct tracees {
	size_t count, buckets;
	struct tracee **bucket;
};

struct tracees *tracees_new(void)
{
	struct tracees *tracees = calloc(1, sizeof *tracees);

	if (!tracees)
		return NULL;
	tracees->buckets = TRACEES_BUCKETS_FIRST;
	tracees->bucket = calloc(tracees->buckets, sizeof(struct tracee *));
	if (!tracees->bucket) {
		free(tracees);
		return NULL;
	}
	return tracees;
}

static struct tracee **chain_of(const struct tracees *tracees, pid_t tid)
{
	return &tracees->bucket[(size_t)tid & (tracees->buckets - 1)];
}

struct tracee *tracees_find(const struct tracees *tracees, pid_t tid)
{
	for (struct tracee *t = *chain_of(tracees, tid); t; t = t->next) {
		if (t->tid == tid)
			return t;
	}
	return NULL;
}

/* Doubles the buckets. When memory is short the chains just get longer. */
static void grow(struct tracees *tracees)
{
	struct tracees larger = {tracees->count, tracees->buckets * 2, NULL};

	larger.bucket = calloc(larger.buckets, sizeof(struct tracee *));
	if (!larger.bucket)
		return;
	for (size_t i = 0; i < tracees->buckets; i++) {
		for (struct tracee *t = tracees->bucket[i], *next; t; t = next) {
			struct tracee **chain = chain_of(&larger, t->tid);

			next = t->next;
			t->next = *chain;
			*chain = t;
		}
	}
	free(tracees->bucket);
	*tracees = larger;
}

struct tracee *tracees_get(struct tracees *tracees, pid_t tid)
{
	struct tracee *t = tracees_find(tracees, tid);
	struct tracee **chain;

	if (t)
		return t;
	if (tracees->count >= tracees->buckets)
		grow(tracees);
	t = calloc(1, sizeof *t);
	if (!t) {
		message_fatal("no memory for another thread of the program: give rr more");
		return NULL; /* for cppcheck, which does not believe it */
	}
	t->tid = tid;
	t->table = tracees;
	tracees_begin_memory(t);
	debug_registers_reset(&t->debug);
	chain = chain_of(tracees, tid);
	t->next = *chain;
	*chain = t;
	tracees->count++;
	return t;
}

void tracees_name_memory(struct memory_of *memory, int fd)
{
	if (!memory->process)
		memory->process = process_of_memory(fd);
}

bool tracees_run_in(struct memory_of *memory, const struct tracee *tracee)
{
	const struct tracee *named;

	if (!memory->number && tracee->table) {
		named = tracees_find(tracee->table, memory->process);
		memory->number = named ? named->memory : 0;
	}
	return (memory->number && memory->number == tracee->memory) ||
	       process_shares_memory(tracee->tid, memory->process);
}

void tracees_note_child(const struct tracee *parent, struct tracee *child)
{
	if (process_shares_memory(child->tid, parent->tid))
		child->memory = parent->memory;
}

/* A descriptor that rr has opened by the task serves it for the others. */
static void leave_memory(const struct tracee *leaver)
{
	const struct tracees *tracees = leaver->table;

	for (size_t i = 0; i < tracees->buckets; i++) {
		for (const struct tracee *t = tracees->bucket[i]; t; t = t->next) {
			if (t != leaver && t->memory == leaver->memory) {
				process_leave_memory(leaver->tid, t->tid);
				return;
			}
		}
	}
}

void tracees_begin_memory(struct tracee *tracee)
{
	static uint64_t memories;

	if (tracee->memory)
		leave_memory(tracee);
	process_begin(tracee->tid);
	tracee->memory = ++memories;
}

void tracees_visit(
    struct tracees *tracees, void (*visit)(void *context, struct tracee *tracee), void *context)
{
	for (size_t i = 0; i < tracees->buckets; i++) {
		for (struct tracee *t = tracees->bucket[i]; t; t = t->next)
			visit(context, t);
	}
}

void tracees_drop(struct tracees *tracees, pid_t tid)
{
	for (struct tracee **at = chain_of(tracees, tid); *at; at = &(*at)->next) {
		struct tracee *t = *at;

		if (t->tid != tid)
			continue;
		*at = t->next;
		tracees->count--;
		leave_memory(t);
		free(t);
		return;
	}
}

pid_t tracees_borrower(const struct tracee *parent, pid_t child)
{
	struct user_regs_struct regs = {0};

	if (kernel_ptrace(PTRACE_GETREGS, parent->tid, 0, (uint64_t)&regs) < 0 ||
	    (regs.orig_rax == SYS_clone && !(regs.rdi & CLONE_VM)) || regs.orig_rax == SYS_fork)
		return 0;
	if (regs.orig_rax == SYS_vfork ||
	    (regs.orig_rax == SYS_clone && !(regs.rdi & CLONE_SIGHAND)))
		return child;
	return parent->borrower;
}
