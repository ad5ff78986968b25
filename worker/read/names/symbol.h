#ifndef WORKER_SYMBOL_H
#define WORKER_SYMBOL_H
/*
 * The symbol that covers an address, as the program's symbol tables name it.
 */
#include "worker/session/replay.h"

struct symbol {
	char name[4096];	   /* "operator new(unsigned long)@plt"; longer ones are cut */
	unsigned long long offset; /* of the address from the symbol's beginning */
	char said[4500]; /* in gdb's words: "work + 21 in section .text of /usr/lib/libwork.so" */
};

/* False: no symbol covers the address, and *symbol is {0}. */
bool symbol_at(struct replay *replay, unsigned long long address, struct symbol *symbol);

/* The same for the address that an expression yields in the selected frame. */
bool symbol_of(struct replay *replay, const char *expression, struct symbol *symbol);

/* The file that has the code at the address, in symbol->said; NULL where that is not known. */
const char *symbol_file(struct replay *replay, unsigned long long address, struct symbol *symbol);

/* Where a function or variable of that name is in memory; 0: it is not. Before the libraries are
 * there, gdb takes the program's stub for a function of theirs: that is none. */
unsigned long long symbol_address(struct replay *replay, const char *name);

#endif
