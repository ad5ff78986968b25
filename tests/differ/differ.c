/*
 * The differ: random code runs in the code cache and, in a twin process, in single steps, and the
 * whole state is compared: registers, flags, vectors, x87, memory, signals.
 *
 *	differ [SECONDS [SEED]]
 *
 * The code of every other pair of twins writes to itself. Every other two pairs have watchpoints,
 * and for these the debug registers of the processor are not used: no leg may write to what is
 * watched. The others have hardware breakpoints, with a condition that never holds or often does.
 * In most of the pairs with watchpoints, each access is looked at as for a check of the heap, too.
 *In two pairs of three, passes of some instructions are counted.
 *
 * It runs each piece of code in two ways. In legs, as rr does it, with random numbers of branches
 * to go; then the state is compared at each leg's end. And step by step through the cache itself:
 * then, at every instruction of the translation, the state that a stop there would show must be
 * one that the program passes through. Prints what it did; on a difference, what differs, the code,
 * and the seed to have it again. The last line is as tests/run.sh wants it.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <time.h>

#include "tests/differ/code.h"
#include "tests/differ/passes.h"
#include "tests/differ/points.h"
#include "tests/differ/registers.h"
#include "tests/differ/twin.h"
#include "worker/softpmu/legs/codecache.h"
#include "worker/softpmu/base/address.h"
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/rrfix/counters.h"
#include "worker/x86/decode.h"
#include "worker/softpmu/traps/processor.h"
#include "worker/softpmu/cache/recover.h"
#include "worker/softpmu/scan/heapcheck.h"
#include "worker/softpmu/traps/tracees.h"

enum {
	LEGS = 12,		/* of one piece of code */
	CACHE_STEPS = 400,	/* of one piece of code */
	REFERENCE_MAX = 400000, /* steps that one leg may stand for */
	EVERY_FEW = 7,
	TWIN_PIECES = 100, /* that a pair of twins runs */
	SECONDS = 40,
};

#define FLAG_TRAP      0x100ull
#define FLAG_ALIGNMENT 0x40000ull

struct differ {
	uint64_t seed, seed_of_code;
	struct code code;
	struct twin cached, stepped;
	struct codecache *cache;
	struct tracees *tracees;
	struct tracee *tracee;
	struct counter counter;
	struct user_regs_struct initial;
	uint64_t branches; /* that `stepped` has retired */
	struct stop stop;  /* its last */
	bool wild;	   /* this piece cannot be compared any further */
	bool changes;	   /* the code can write to itself */
	bool watches;	   /* there are watchpoints; else there are breakpoints */
	bool counts;	   /* passes */
	bool checks;	   /* half of the data is what a check of the heap looks for */
	struct heapcheck check;
	struct passes passes;
	struct conditions conditions;
	unsigned pairs; /* of twins, so far */
	bool traps; /* the random code has set the trap flag, so these twins are of no more use */
	struct {
		uint64_t pieces, legs, steps, branches, signals, places, touched, asked, checked;
	} totals;
};

static struct differ differ;

static _Noreturn void fail(const char *what)
{
	printf("DIFFERENCE: %s (piece %" PRIu64 ", seed %" PRIu64 ")\ncode", what,
	    differ.totals.pieces, differ.seed_of_code);
	for (size_t i = 0; i < differ.code.length; i++)
		printf(" %02x", differ.code.bytes[i]);
	printf("\n0 passed, 1 failed\n");
	twin_end(&differ.cached);
	twin_end(&differ.stepped);
	exit(1);
}

static void expect_registers(const struct user_regs_struct *cached, const char *when)
{
	const char *name = registers_differ(cached, &differ.stop.regs);

	if (!name)
		return;
	registers_print(cached, &differ.stop.regs);
	printf("%s: ", when);
	fail(name);
}

/* Components that are in their initial state may be saved or not: as if they were. */
static void normalize(uint8_t *state)
{
	enum { SSE = 160, SSE_SIZE = 256, AVX = 576, AVX_SIZE = 256, HEADER = 512 };
	uint64_t saved;

	memcpy(&saved, state + HEADER, sizeof saved);
	if (!(saved & 2))
		memset(state + SSE, 0, SSE_SIZE);
	if (!(saved & 4))
		memset(state + AVX, 0, AVX_SIZE);
	memset(state + HEADER, 0, 64);
	memset(state + 464, 0, 48); /* not the processor's */
	/*
	 * Where the last x87 instruction was, and its operand: a copy's own address in the cache,
	 * and on AMD's processors lost with any switch to another process.
	 */
	memset(state + 6, 0, 18);
}

static void expect_state(void)
{
	static uint8_t cached[TWIN_STATE_MAX], stepped[TWIN_STATE_MAX];

	twin_get_state(&differ.cached, cached);
	twin_get_state(&differ.stepped, stepped);
	normalize(cached);
	normalize(stepped);
	for (size_t i = 0; i < TWIN_STATE_MAX; i++) {
		if (cached[i] == stepped[i])
			continue;
		printf("byte %zu of the extended state: %02x and %02x\n", i, cached[i], stepped[i]);
		fail("extended state");
	}
}

static void expect_memory(uint64_t address, size_t size)
{
	static uint8_t cached[DATA_SIZE], stepped[DATA_SIZE];

	twin_read(&differ.cached, address, cached, size);
	twin_read(&differ.stepped, address, stepped, size);
	for (size_t i = 0; i < size; i++) {
		if (cached[i] == stepped[i])
			continue;
		printf("at 0x%" PRIx64 ": %02x and %02x\n", address + i, cached[i], stepped[i]);
		fail("memory");
	}
}

/* One step of the reference. */
static void step_reference(void)
{
	struct block block;
	uint64_t rip = differ.stop.regs.rip;
	pid_t pid = differ.stepped.pid;

	decode_instruction(memory_code_reader, &pid, rip, &block);
	passes_step(&differ.passes, pid, rip);
	twin_step(&differ.stepped, &differ.stop);
	differ.totals.steps++;
	differ.traps |= (differ.stop.regs.eflags & FLAG_TRAP) != 0;
	if (differ.stop.signal == 0)
		differ.branches += block.ending.counts;
}

/* A wild access to what only one twin has: the arena, or the heap's shadow. */
static bool hit_what_is_ours(void)
{
	const struct space *space = differ.tracee->space;
	const uint64_t at = differ.stop.address, end = at + 64;

	return differ.stop.signal == SIGSEGV &&
	       ((space && arena_overlaps(&space->arena, at, end)) ||
		   heapshadow_overlaps(&differ.check.shadow, at, end));
}

/* What the watchpoints watch, in the reference. */
static void read_watched(uint64_t *words)
{
	for (unsigned i = 0; i < DEBUG_REGISTERS; i++) {
		words[i] = 0;
		if (differ.watches)
			words[i] = (uint64_t)ptrace(PTRACE_PEEKDATA, differ.stepped.pid,
			    differ.tracee->debug.rr_address[i], 0);
	}
}

/*
 * Some hypervisors cannot go back into a program whose stack pointer is no address at all: its next
 * step ends with a SIGSEGV, whatever the instruction.
 */
static bool stack_forbids_steps(void)
{
	return differ.stop.signal == SIGSEGV && differ.stop.code == SI_KERNEL &&
	       !address_is_users(differ.stop.regs.rsp);
}

/*
 * Whether the twins cannot be compared any further. We step the reference with the trap flag: once
 * a popf of the random code has set it, we cannot tell the program's steps from ours.
 */
static bool is_incomparable(void)
{
	return differ.traps || hit_what_is_ours() || stack_forbids_steps();
}

static void expect_passes(const char *when)
{
	if (!passes_print_difference(&differ.passes, differ.tracee->space))
		return;
	printf("%s: ", when);
	fail("passes");
}

/* Steps the reference to where the cached twin says that it is. */
static void follow(const struct user_regs_struct *regs, uint64_t branches)
{
	uint64_t before[DEBUG_REGISTERS], after[DEBUG_REGISTERS];
	int steps = 0;

	read_watched(before);
	while ((differ.branches != branches || differ.stop.regs.rip != regs->rip ||
		   registers_differ(regs, &differ.stop.regs)) &&
	       differ.branches <= branches && differ.stop.signal == 0 && !differ.traps &&
	       steps++ < REFERENCE_MAX)
		step_reference();
	if (is_incomparable()) {
		differ.wild = true;
		return;
	}
	read_watched(after);
	if (memcmp(before, after, sizeof before) != 0)
		fail("a write to what is watched was not noticed");
	if (differ.branches != branches) {
		printf("%" PRIu64 " branches counted, %" PRIu64 " stepped; rip %llx and %llx\n",
		    branches, differ.branches, (unsigned long long)regs->rip,
		    (unsigned long long)differ.stop.regs.rip);
		fail("count");
	}
	expect_registers(regs, "registers");
	expect_passes("a leg");
}

/* Both must have met the same signal. */
static void expect_signal(const struct stop *cached)
{
	differ.totals.signals++;
	for (int steps = 0; differ.stop.signal == 0 && !differ.traps && steps < REFERENCE_MAX;
	     steps++)
		step_reference();
	if (is_incomparable())
		return;
	if (cached->signal != differ.stop.signal || cached->code != differ.stop.code ||
	    cached->address != differ.stop.address) {
		printf("signal %d code %d at %" PRIx64 ", and %d %d %" PRIx64 "; rip %llx %llx\n",
		    cached->signal, cached->code, cached->address, differ.stop.signal,
		    differ.stop.code, differ.stop.address, (unsigned long long)cached->regs.rip,
		    (unsigned long long)differ.stop.regs.rip);
		fail("signal");
	}
	expect_registers(&cached->regs, "registers at a signal");
	expect_passes("a signal");
}

/* Both begin at a block, with the same random registers. */
static void restart(void)
{
	uint64_t *seed = &differ.seed;
	struct user_regs_struct regs = differ.initial;

	for (size_t i = REGISTERS_GENERAL; i < REGISTERS_GENERAL_END; i++) {
		uint64_t value = code_random(seed);

		switch (value % 4) {
		case 0:
			value = code_random(seed);
			break;
		case 1:
			value = code_random(seed) & 0xff;
			break;
		default:
			value = DATA_BASE + DATA_SIZE / 2 + (code_random(seed) & 0x7f8);
			break;
		}
		registers_set(&regs, i, value);
	}
	regs.rsp = STACK_BASE + STACK_SIZE / 2;
	regs.eflags = 0x202 | (code_random(seed) & 0xcd5);
	if (code_random(seed) % EVERY_FEW == 0)
		regs.eflags |= FLAG_ALIGNMENT;
	regs.rip = differ.code.block[code_random(seed) % CODE_BLOCKS];
	regs.orig_rax = (uint64_t)-1;
	twin_set(&differ.cached, &regs);
	twin_set(&differ.stepped, &regs);
	differ.stop = (struct stop){.regs = regs};
}

static void randomize_memory(void)
{
	static uint64_t words[DATA_SIZE / 8];
	static uint8_t state[TWIN_STATE_MAX];
	enum { SSE = 160, ALL = 2432 };

	for (size_t i = 0; i < DATA_SIZE / 8; i++)
		words[i] = code_random(&differ.seed);
	twin_write(&differ.cached, DATA_BASE, words, DATA_SIZE);
	twin_write(&differ.stepped, DATA_BASE, words, DATA_SIZE);
	twin_write(&differ.cached, STACK_BASE, words, STACK_SIZE);
	twin_write(&differ.stepped, STACK_BASE, words, STACK_SIZE);
	twin_get_state(&differ.stepped, state);
	memcpy(state + SSE, words, 256);
	if (differ.stepped.state_size > 576)
		memcpy(state + 576, words + 64, 256);
	if (differ.stepped.state_size >= ALL)
		memcpy(state + 832, words + 256, ALL - 832);
	state[512] |= differ.stepped.state_size >= ALL ? 0xe7 : 7;
	differ.cached.state_size = differ.stepped.state_size;
	twin_set_state(&differ.cached, state);
	twin_set_state(&differ.stepped, state);
}

static void new_code(void)
{
	differ.seed_of_code = differ.seed;
	code_generate(&differ.code, &differ.seed, differ.changes);
	twin_write(&differ.cached, CODE_BASE, differ.code.bytes, differ.code.length);
	twin_write(&differ.stepped, CODE_BASE, differ.code.bytes, differ.code.length);
	if (!differ.changes ||
	    differ.totals.pieces % 2) /* as rr does; else it is like the program's */
		codecache_note_write(differ.cache, CODE_BASE, differ.code.length);
	randomize_memory();
	if (differ.checks)
		heapshadow_mark(
		    &differ.check.shadow, DATA_BASE, DATA_BASE + DATA_SIZE / 2, SHADOW_OUTSIDE);
	if (!differ.watches)
		points_break(&differ.tracee->debug, &differ.conditions, &differ.code, &differ.seed);
	if (differ.counts)
		passes_choose(&differ.passes, &differ.code, &differ.seed, differ.cached.memory);
	restart();
	differ.totals.pieces++;
}

/* The tracee is at an instruction that does not run in the cache, so step both. */
static void step_both(void)
{
	uint64_t before[DEBUG_REGISTERS], after[DEBUG_REGISTERS];
	struct stop stop;

	read_watched(before);
	twin_get(&differ.cached, &stop.regs);
	stop.regs.eflags |= FLAG_RESUME; /* no breakpoint stops this step */
	linecount_note(&differ.passes.counted, differ.tracee, &stop.regs);
	twin_step(&differ.cached, &stop);
	step_reference();
	read_watched(after);
	differ.totals.touched += memcmp(before, after, sizeof before) != 0;
	if (stop.signal)
		expect_signal(&stop);
	differ.wild = is_incomparable();
	if (!differ.wild)
		expect_registers(&stop.regs, "registers after a step");
	if (stop.signal)
		restart();
}

static bool start_leg(int request, uint64_t branches)
{
	struct user_regs_struct regs;
	long result = -1;

	twin_get(&differ.cached, &regs);
	differ.counter.period = differ.counter.left = branches;
	differ.tracee->request = request;
	differ.tracee->mode = RESUME_RUN;
	differ.branches = 0;
	if (!codecache_start(differ.cache, differ.tracees, differ.tracee, &regs, &result))
		return false;
	if (result < 0)
		fail("ptrace");
	return true;
}

/* A leg as rr has it. */
static void run_leg(void)
{
	enum codecache_verdict verdict = CODECACHE_RUNS;
	struct stop stop;
	uint64_t branches = 0;

	if (!start_leg(PTRACE_CONT, 6 + code_random(&differ.seed) % 60)) {
		step_both();
		return;
	}
	while (verdict == CODECACHE_RUNS) {
		twin_wait(&differ.cached, &stop);
		verdict = codecache_judge(
		    differ.cache, differ.tracee, stop.status, false, &stop.regs, &branches);
	}
	differ.totals.legs++;
	differ.totals.asked += differ.tracee->questions;
	differ.totals.branches += branches;
	if (verdict == CODECACHE_GONE)
		fail("the tracee is gone");
	if (verdict == CODECACHE_LEG_ENDS) {
		follow(&stop.regs, branches);
		return;
	}
	{
		siginfo_t info = {0};

		ptrace(PTRACE_GETSIGINFO, differ.cached.pid, 0, &info);
		stop.address = (uint64_t)info.si_addr;
	}
	expect_signal(&stop);
	differ.wild = is_incomparable();
	if (!differ.wild && differ.branches != branches)
		fail("count at a signal");
	restart();
}

/* The state that a stop with these registers would show. */
static uint64_t look(struct user_regs_struct *regs)
{
	struct space *space = differ.tracee->space;
	struct budget before = space->budget;
	uint64_t *counter[BUDGET_COUNTERS], passed;

	space_counters(space, counter);
	budget_read(&space->budget, counter);
	recover_state(space, differ.cached.pid, regs);
	passed = space->budget.passed;
	space->budget = before;
	return passed;
}

/* Steps through the translation itself. */
static void step_through(void)
{
	struct stop stop;

	if (!start_leg(PTRACE_SINGLESTEP, 1000)) {
		step_both();
		return;
	}
	for (int i = 0; i < CACHE_STEPS; i++) {
		enum codecache_verdict verdict;
		struct user_regs_struct regs;
		uint64_t branches;

		twin_wait(&differ.cached, &stop);
		if (stop.signal == 0 && i < CACHE_STEPS - 1) {
			regs = stop.regs;
			passes_keep(&differ.passes, differ.tracee->space);
			branches = look(&regs);
			differ.totals.places++;
			follow(&regs, branches);
			passes_put_back(&differ.passes, differ.tracee->space);
			if (differ.wild)
				i = CACHE_STEPS;
			ptrace(PTRACE_SINGLESTEP, differ.cached.pid, 0, 0);
			continue;
		}
		verdict = codecache_judge(
		    differ.cache, differ.tracee, stop.status, false, &stop.regs, &branches);
		if (verdict == CODECACHE_RUNS)
			continue;
		if (verdict == CODECACHE_FOR_RR && stop.signal) {
			siginfo_t info = {0};

			ptrace(PTRACE_GETSIGINFO, differ.cached.pid, 0, &info);
			stop.address = (uint64_t)info.si_addr;
			expect_signal(&stop);
			differ.wild = is_incomparable();
			restart();
			return;
		}
		follow(&stop.regs, branches);
		return;
	}
	/* It ran on at the end: let it leave the cache. */
	twin_wait(&differ.cached, &stop);
	{
		uint64_t branches;

		while (codecache_judge(differ.cache, differ.tracee, stop.status, true, &stop.regs,
			   &branches) == CODECACHE_RUNS)
			twin_wait(&differ.cached, &stop);
		follow(&stop.regs, branches);
	}
}

static void run_piece(void)
{
	new_code();
	differ.wild = false;
	for (int i = 0; i < LEGS && !differ.wild; i++) {
		if (differ.totals.pieces % EVERY_FEW == 0)
			step_through();
		else
			run_leg();
		if (!differ.wild)
			expect_state();
	}
	if (differ.wild)
		return;
	expect_memory(CODE_BASE, differ.code.length);
	expect_memory(DATA_BASE, DATA_SIZE);
	expect_memory(STACK_BASE, STACK_SIZE);
}

/* No finding is shown, so the tracee goes on behind each question. */
static void begin_check(void)
{
	uint64_t still;

	heapcheck_take(&differ.check, "QRRWarden.check:b,1");
	if (!heapcheck_read(&differ.check, differ.cached.memory, CHECKMARK, &still, sizeof still) ||
	    !differ.check.memory.process)
		fail("no check of the heap");
}

static void start_twins(void)
{
	differ.traps = false;
	differ.changes = differ.pairs % 2;
	differ.watches = differ.pairs / 2 % 2 == 0;
	twin_start(&differ.cached, differ.changes);
	twin_start(&differ.stepped, differ.changes);
	twin_get(&differ.stepped, &differ.initial);
	differ.conditions.check = &differ.check;
	differ.conditions.lines = &differ.passes.counted;
	differ.counts = differ.pairs % 3 != 1;
	differ.checks = differ.watches && differ.pairs % 3 != 2;
	if (differ.checks)
		begin_check();
	differ.cache = codecache_new(&differ.conditions);
	differ.tracees = tracees_new();
	differ.tracee = tracees_get(differ.tracees, differ.cached.pid);
	differ.counter = (struct counter){.open = true, .ticks = true, .enabled = true};
	differ.tracee->ticks = &differ.counter;
	if (differ.watches)
		points_watch(&differ.tracee->debug, &differ.seed, differ.pairs / 4 % 2);
	differ.pairs++;
}

static void end_twins(void)
{
	differ.totals.checked += differ.check.table.checked;
	heapcheck_end(&differ.check);
	linecount_take(&differ.passes.counted, 0, "");
	twin_end(&differ.cached);
	twin_end(&differ.stepped);
}

int main(int argc, char **argv)
{
	time_t end = time(NULL) + (argc > 1 ? strtol(argv[1], NULL, 10) : SECONDS);

	differ.seed = argc > 2 ? strtoull(argv[2], NULL, 0) : (uint64_t)time(NULL) << 20 | 1;
	dprintf(STDOUT_FILENO, "seed %" PRIu64 "\n", differ.seed);
	processor_probe("debug");
	start_twins();
	while (time(NULL) < end) {
		run_piece();
		if (differ.traps || differ.totals.pieces % TWIN_PIECES == 0) {
			end_twins();
			start_twins();
		}
	}
	end_twins();
	if (differ.totals.legs == 0 || differ.totals.places == 0)
		fail("nothing has run in the code cache");
	if (differ.pairs > 8 && (differ.totals.checked == 0 || differ.passes.total == 0))
		fail("nothing was checked");
	printf("%" PRIu64 " pieces, %" PRIu64 " legs, %" PRIu64 " branches, %" PRIu64
	       " places, %" PRIu64 " signals, %" PRIu64 " watched writes, %" PRIu64
	       " questions, %" PRIu64 " of the heap, %" PRIu64 " passes, %" PRIu64
	       " reference steps: no difference\n1 passed, 0 failed\n",
	    differ.totals.pieces, differ.totals.legs, differ.totals.branches, differ.totals.places,
	    differ.totals.signals, differ.totals.touched, differ.totals.asked,
	    differ.totals.checked, differ.passes.total, differ.totals.steps);
	return 0;
}
