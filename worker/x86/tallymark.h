/*
 * A table where no program has memory, which gdb reads: the changes of what rr watches that the
 * software PMU has counted. See tally.h there.
 */
#ifndef WORKER_TALLYMARK_H
#define WORKER_TALLYMARK_H

#include <stdint.h>

#define TALLYMARK 0x7ffffffff100ull

enum {
	TALLY_ROWS = 64,
	TALLY_SIZE_MAX = 8, /* bytes that are watched */
	TALLY_WANTED_MAX = 256,
	TALLY_EVERY = 4096, /* changes: the last of so many is shown */

	TALLY_ON = 1,
	TALLY_LOST = 2, /* there may have been a change that is not counted */
};

struct tally_table {
	uint64_t state;	 /* of the bits above */
	uint64_t total;	 /* changes: the number of the last one */
	uint64_t shown;	 /* the last one of them at which rr stopped */
	uint64_t others; /* further ones, which rr itself has made and shown */
	uint64_t found;	 /* the first change behind which the predicate may hold; 0: none yet */
	uint64_t count;	 /* of rows */
	struct tally_row {
		uint64_t pc; /* behind the instruction */
		uint64_t count, first, last;
	} row[TALLY_ROWS];
};

/*
 * And another one: what its check of the heap has found last, see scan/heapcheck.h there. A finding
 * is a hit of the watchpoint on CHECKMARK.
 */
#define CHECKMARK 0xe00ull

enum {
	CHECK_ON = 1,
	CHECK_NO_SHADOW = 2,  /* a part of the heap has no shadow: accesses there are not checked */
	CHECK_LOST = 4,	      /* blocks are not known any more */
	CHECK_HAS_MAPPED = 8, /* blocks with a mapping of their own: a freed one is not checked */
	CHECK_REACH = 16,     /* which blocks the program can reach was found out */
	CHECK_UNDECIDED = 32, /* what was never written was not followed everywhere */
	CHECK_WRAPS = 64,     /* a named allocator hands on malloc's blocks, or frees them */
};

/* The functions of an allocator, by what they take and give. */
enum heapcheck_function {
	HEAPCHECK_MALLOC,   /* (size) */
	HEAPCHECK_CALLOC,   /* (count, size) */
	HEAPCHECK_REALLOC,  /* (block, size) */
	HEAPCHECK_FREE,	    /* (block) */
	HEAPCHECK_ALIGNED,  /* (alignment, size) */
	HEAPCHECK_MEMALIGN, /* (&block, alignment, size): posix_memalign */
	HEAPCHECK_USABLE,   /* (block): the program may use all of it */
	HEAPCHECK_WRITE,    /* (descriptor, bytes, count): no allocator's; the bytes leave */
};

#define HEAPCHECK_GLIBC 0x10 /* a flag beside it: glibc's, with a header before each block */

/*
 * The functions of an allocator that a client has named: what one gives, and what it takes, each in
 * one number; 0: nothing. The size of the block that it gives is in an integer register, of which
 * `width` bytes count, or always the same.
 */
enum check_pool_kind { CHECK_POOL_NOTHING, CHECK_POOL_REGISTER, CHECK_POOL_CONSTANT };

enum {
	CHECK_POOL_GLOBAL = 8, /* a flag beside the kind: no pool is its first argument */
	CHECK_POOL_ALL = 0x40, /* instead of a register: all blocks of the pool in the first */
	CHECK_POOL_ALL_GLOBAL = 0x41, /* all of functions that take no pool */
};

static inline uint64_t check_pool_gives(enum check_pool_kind kind, unsigned width, uint64_t value)
{
	return value << 8 | width << 4 | kind;
}

static inline unsigned check_pool_kind(uint64_t gives)
{
	return gives & 7;
}

static inline unsigned check_pool_width(uint64_t gives)
{
	return gives >> 4 & 15;
}

static inline uint64_t check_pool_value(uint64_t gives)
{
	return gives >> 8;
}

/* name: its number among the client's names. reg: one more than that of the register with the block
 * that it frees (rdi, rsi, rdx, rcx, r8, r9), or 0, or CHECK_POOL_ALL or CHECK_POOL_ALL_GLOBAL. */
static inline uint64_t check_pool_takes(uint8_t name, uint8_t reg)
{
	return (uint64_t)name << 8 | reg;
}

static inline uint8_t check_pool_name(uint64_t takes)
{
	return (uint8_t)(takes >> 8);
}

static inline uint8_t check_pool_register(uint64_t takes)
{
	return (uint8_t)takes;
}

enum check_kind {
	CHECK_READ,
	CHECK_WRITE,
	CHECK_FREE,   /* of what is no block */
	CHECK_RESIZE, /* the same, by realloc */
	CHECK_CALL,   /* no finding: the call of the allocator that was asked for */
	/* Of what was never written: */
	CHECK_BRANCH,
	CHECK_ADDRESS, /* of a load or store */
	CHECK_TARGET,  /* of a jump or call */
	CHECK_OUTPUT,  /* it is written to a file */
	CHECK_LENGTH,  /* of what is written to one */
	CHECK_RETURN,  /* of a return address that is written over, at `address` */
	CHECK_OVERLAP, /* of what is copied, and where to */
};

/* What was called to copy, by the name that the caller used. */
enum check_copier {
	CHECK_NO_COPIER,
	CHECK_MEMCPY,
	CHECK_MEMPCPY,
	CHECK_STRCPY,
	CHECK_STPCPY,
	CHECK_STRNCPY,
	CHECK_STPNCPY,
	CHECK_STRCAT,
	CHECK_STRNCAT,
	CHECK_COPIERS, /* how many there are */
};

/* What they are called, for a table of CHECK_COPIERS names; that of CHECK_NO_COPIER is NULL. */
#define CHECK_COPIER_NAMES                                                                         \
	{                                                                                          \
		[CHECK_MEMCPY] = "memcpy", [CHECK_MEMPCPY] = "mempcpy", [CHECK_STRCPY] = "strcpy", \
		[CHECK_STPCPY] = "stpcpy", [CHECK_STRNCPY] = "strncpy",                            \
		[CHECK_STPNCPY] = "stpncpy", [CHECK_STRCAT] = "strcat",                            \
		[CHECK_STRNCAT] = "strncat",                                                       \
	}

enum check_state { CHECK_NO_BLOCK, CHECK_LIVE, CHECK_FREED };

enum {
	CHECK_SITES = 8, /* read at once */
	/* Ways to a call differ by so many addresses of code on the stack, from its return address
	 * on, within so many bytes. Some may be left over from earlier calls. */
	CHECK_WAYS = 4, /* see check_way_addresses */
	CHECK_WAY_FAR = 32,
	CHECK_WAY_BYTES = 4096,
};

/* By how many, of the ways of this kind: the far ones come first. */
static inline unsigned check_way_addresses(unsigned kind)
{
	return (const unsigned[CHECK_WAYS]){CHECK_WAY_FAR, 10, 4, 2}[kind];
}

/* The ways to one call: see scan/heapsites.h there. */
struct check_ways_to {
	uint64_t way[CHECK_WAYS];
};

/* Calls of the allocator that came on one way, as far as their blocks are live. */
struct check_site {
	uint64_t way; /* 0: not known */
	uint64_t blocks, bytes;
	uint64_t first; /* the number of the first call */
};

struct check_table {
	uint64_t still;		 /* what the watchpoint is on: rr takes a change of it for a hit */
	uint64_t state;		 /* of the bits above */
	uint64_t calls;		 /* of the allocator, ever; and of those that were named */
	uint64_t pool_calls;	 /* of these alone */
	uint64_t taken, unknown; /* of those that free or resize: of a block that these have given,
				    and of what none has, see heap_pools_are_all */
	uint64_t found;		 /* the number of the finding; 0: none yet */
	uint64_t kind;		 /* enum check_kind; and so on, of the last one */
	uint64_t pc;
	uint64_t address;     /* the first wrong byte */
	uint64_t start, size; /* of the access */
	uint64_t block, block_size, block_state;
	uint64_t made, dropped; /* the numbers of the calls, or 0 */
	uint64_t maker;	  /* one more than the name of the function that gave the block; or 0 */
	uint64_t called;  /* the same of the function that is called here */
	uint64_t foreign; /* 1: what that frees is in a block of malloc's: no finding, if
			     CHECK_WRAPS is set in the end */
	uint64_t loaded;  /* where bytes that were never written were loaded; `address` is the first
			     of them, and `start` and `size` are those of the load */
	uint64_t copied;  /* 1: others may have been copied there before */
	uint64_t copier;  /* enum check_copier, of an overlap: `start` and `size` are those of what
			     is written */
	uint64_t source, source_size; /* and what is read */
	uint64_t followed;	      /* loads of such bytes that were followed */
	uint64_t checked;	      /* questions that were answered, for the curious */
	/* As they were asked for last; of all of them, and those of this page. */
	uint64_t sites, live, live_bytes;
	struct check_site site[CHECK_SITES];
};

/*
 * And a third one: the accesses of a program's threads that nothing orders, see races/racecheck.h
 * there.
 */
#define RACEMARK 0x800ull

enum {
	RACE_ON = 1,
	RACE_AGAIN = 2,	     /* what orders threads has become better known: another pass is due */
	RACE_LOST = 4,	     /* something did not fit: there may be more pairs */
	RACE_UNMAPPED = 8,   /* the program has no room for the log: nothing is found */
	RACE_ORPHANS = 16,   /* who made a thread is not known: it comes after all before it */
	RACE_PAIRS_PAGE = 8, /* read at once */
};

enum race_kind { RACE_READ, RACE_WRITE, RACE_ATOMIC };

struct race_access {
	uint64_t number; /* of the access, among all that were noted */
	uint64_t pc;
	uint64_t start; /* its first byte */
	uint32_t size;
	uint32_t kind; /* enum race_kind */
};

/* Two accesses of different threads that nothing orders: the first of those by this code. */
struct race_pair {
	struct race_access earlier, later;
	uint64_t count;	    /* of such accesses */
	uint64_t low, high; /* the first and the last address */
	uint64_t library;   /* both are by the C library's code */
};

struct race_table {
	uint64_t still;	 /* what the watchpoint is on */
	uint64_t state;	 /* of the bits above */
	uint64_t noted;	 /* accesses, ever */
	uint64_t orders; /* those that order threads */
	uint64_t threads;
	uint64_t shown; /* the wanted access that the program stands at; 0: none yet */
	uint64_t pairs; /* all of them, and those of the page that was asked for */
	struct race_pair pair[RACE_PAIRS_PAGE];
};

/*
 * And a fourth one: how often instructions that gdb has named have begun, see legs/linecount.h
 * there.
 */
#define LINEMARK 0x400ull

enum {
	LINES_MAX = 8192, /* instructions */
	LINES_PAGE = 64,  /* read at once */
	LINES_NAMED = 64, /* at once, with a packet */

	LINES_ON = 1,
	LINES_ENDED = 2, /* the process runs another program: nothing is counted since */
};

struct line_table {
	uint64_t state; /* of the bits above */
	uint64_t count; /* of instructions */
	uint64_t passes[LINES_PAGE];
};

/*
 * And a fifth one: the accesses to what rr watches that need not be shown, see scan/accesslog.h
 * there.
 */
#define ACCESSMARK 0x80ull

enum {
	ACCESS_QUIET_MAX = 64,	 /* instructions */
	ACCESS_WANTED_MAX = 128, /* accesses */
	ACCESS_ROWS_PAGE = 18,	 /* read at once */

	ACCESS_ON = 1,
	ACCESS_LOST = 2, /* an access may be missing, or one may be shown with a wrong old value */
};

/* Accesses by one instruction of one thread, without one of another thread among them. */
struct access_row {
	uint64_t thread; /* its number, in the order in which threads made their first access */
	uint64_t pc;	 /* behind the instruction */
	uint64_t count;
	uint64_t first, last; /* their numbers, among all accesses */
};

struct access_table {
	uint64_t state;	 /* of the bits above */
	uint64_t total;	 /* accesses: the number of the last one */
	uint64_t shown;	 /* that of the last one that was shown */
	uint64_t thread; /* whose that was */
	uint64_t pc;	 /* behind its instruction */
	/* rr has made a step of its own to step_pc, behind so many accesses, some of which were
	 * hidden: it compares the bytes then, and may take what has changed for a hit. */
	uint64_t step_total, step_pc;
	uint64_t stale; /* 1: one before it was hidden, so gdb has not seen ... */
	uint64_t old;	/* ... the bytes before it, in the low bits */
	uint64_t rows;	/* all of them since they were forgotten last, and those of the page */
	struct access_row row[ACCESS_ROWS_PAGE];
};

#endif
