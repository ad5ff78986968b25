#ifndef WORKER_D_NAME_H
#define WORKER_D_NAME_H
/*
 * Names of D: gdb shows functions with debug information by their mangled names. Pure.
 */
#include <stdbool.h>
#include <stddef.h>

/* "ledger.deposit" for _D6ledger7depositFPSQs6LedgerAyalZv, without types; the arguments of a
 * template are "!(...)". False for what is no such name, or does not fit. */
bool d_name(const char *mangled, char *text, size_t size);

#endif
