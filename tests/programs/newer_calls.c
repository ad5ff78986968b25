/*
 * Makes system calls that are newer than released versions of rr, by their numbers, so that no C
 * library has to know them. Prints each with its result or its error. Arguments: which ones,
 * default all.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PAGE 4096

static char page[2 * PAGE] __attribute__((aligned(PAGE)));
static char text[64];
static struct {
	unsigned long flags, mode, resolve;
} how;
static struct {
	void *base;
	unsigned long length;
} vector = {text, sizeof(text)};

enum { ANY = -1, MASTER, ZERO }; /* in place of a descriptor: none, a new terminal, /dev/zero */

static const struct call {
	const char *name;
	long number;
	int descriptor; /* for the first argument */
	long argument[6];
} calls[] = {
    {"MADV_GUARD_INSTALL", 28, ANY, {(long)page, PAGE, 102}},
    {"MADV_GUARD_REMOVE", 28, ANY, {(long)page, PAGE, 103}},
    {"TCGETS2", 16, MASTER, {0, 0x802c542a, (long)text}},
    {"TCSETS2", 16, MASTER, {0, 0x402c542b, (long)text}},
    {"TCSETSW2", 16, MASTER, {0, 0x402c542c, (long)text}},
    {"TCSETSF2", 16, MASTER, {0, 0x402c542d, (long)text}},
    {"PR_GET_MDWE", 157, ANY, {66}},
    {"PR_SET_MDWE", 157, ANY, {65, 1}},
    {"PR_GET_AUXV", 157, ANY, {0x41555856, (long)text, sizeof(text)}},
    {"PR_SET_SYSCALL_USER_DISPATCH", 157, ANY, {59, 0}},
    {"PR_GET_MEMORY_MERGE", 157, ANY, {68}},
    {"F_DUPFD_QUERY", 72, ZERO, {0, 1027, 0}},
    {"preadv2", 327, ZERO, {0, (long)&vector, 1, 0, 0, 0}},
    {"mlock2", 325, ANY, {(long)page, PAGE, 0}},
    {"openat2", 437, ANY, {AT_FDCWD, (long)"/dev/null", (long)&how, sizeof(how)}},
    {"io_uring_setup", 425, ZERO, {0, 0}},
    {"io_uring_register", 427, ANY, {-1, 0, 0, 0}},
    {"userfaultfd", 323, ANY, {0}},
    {"cachestat", 451, ZERO, {0, 0, 0, 0}},
    {"fchmodat2", 452, ANY, {AT_FDCWD, (long)"/nonexistent", 0600, 0}},
    {"futex_wake", 454, ANY, {(long)page, 1, 1, 2}},
    {"mseal", 462, ANY, {(long)page, 0, 0}},
    {"ptrace LISTEN", 101, ANY, {0x4208, 1, 0, 0}},
    {"sched_rr_get_interval", 148, ANY, {0, (long)text}},
    {"vmsplice", 278, ZERO, {0, (long)&vector, 1, 0}},
    {"move_pages", 279, ANY, {0, 0, 0, 0, 0, 0}},
    {"file_getattr", 468, ANY, {AT_FDCWD, (long)"/dev/null", (long)text, 24, 0}},
};

static int descriptor_for(const struct call *call)
{
	return call->descriptor == MASTER ? open("/dev/ptmx", O_RDWR | O_NOCTTY)
					  : open("/dev/zero", O_RDWR);
}

/* The registers that hold the arguments are the program's: a call leaves them as they were. */
static long make(const struct call *call, long first)
{
	register long r10 __asm__("r10") = call->argument[3];
	register long r8 __asm__("r8") = call->argument[4];
	register long r9 __asm__("r9") = call->argument[5];
	long result, a = first, b = call->argument[1], c = call->argument[2];

	__asm__ volatile("syscall"
			 : "=a"(result), "+D"(a), "+S"(b), "+d"(c), "+r"(r10), "+r"(r8), "+r"(r9)
			 : "a"(call->number)
			 : "rcx", "r11", "memory");
	if (a != first || b != call->argument[1] || c != call->argument[2] ||
	    r10 != call->argument[3] || r8 != call->argument[4] || r9 != call->argument[5])
		puts("an argument changed");
	return result;
}

int main(int argc, char **argv)
{
	for (size_t i = 0; i < sizeof(calls) / sizeof(calls[0]); i++) {
		int fd = -1, asked = argc < 2;
		long result;

		for (int j = 1; j < argc; j++)
			asked |= strcmp(argv[j], calls[i].name) == 0;
		if (!asked)
			continue;
		if (calls[i].descriptor != ANY)
			fd = descriptor_for(&calls[i]);
		result = make(&calls[i], fd >= 0 ? fd : calls[i].argument[0]);
		printf(
		    "%s %s\n", calls[i].name, result < 0 ? strerrorname_np((int)-result) : "done");
		if (fd >= 0)
			close(fd);
	}
	return 0;
}
