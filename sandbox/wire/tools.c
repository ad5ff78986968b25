/*
 * The words of the choices in tools.h.
 */
#include "sandbox/wire/tools.h"

#include <stddef.h>

#define WORD(enumerator, word) word,
#define L(list)		       const char *const choices_##list[] = {CHOICES_##list(WORD) NULL};
TOOL_CHOICES(L)
