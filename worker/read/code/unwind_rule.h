#ifndef WORKER_UNWIND_RULE_H
#define WORKER_UNWIND_RULE_H
/*
 * How the caller of one instruction is found: what .eh_frame says of it. libdw reads that from the
 * file of the code.
 */
#include <stdbool.h>
#include "worker/session/replay.h"
#include "worker/x86/keymark.h"

/* Files that were opened before. Starts as {0}. */
#define UNWIND_FILES_MAX 32
struct unwind_files {
	struct unwind_file {
		unsigned long long start, end; /* the mapping that was asked for */
		unsigned long long bias;       /* from the file's addresses to the program's */
		int fd;
		void *elf, *cfi; /* Elf, Dwarf_CFI; NULL: there is none */
	} file[UNWIND_FILES_MAX];
	size_t count;
};

void unwind_files_close(struct unwind_files *files);

/* Of the instruction that contains pc - 1 if it is a return address, or else begins at pc. False:
 * nothing says it, or in another way than these three numbers can. */
bool unwind_rule_find(struct unwind_files *files, struct replay *replay, unsigned long long pc,
    bool is_return, struct stack_rule *rule);

#endif
