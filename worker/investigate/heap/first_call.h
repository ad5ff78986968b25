#ifndef WORKER_FIRST_CALL_H
#define WORKER_FIRST_CALL_H
/*
 * The program's first call that allocates memory.
 */
#include "worker/investigate/search/search.h"

/* Searches with breakpoints at malloc and its like, wherever gdb finds them: the library may not be
 * loaded yet. They are gone when it returns. */
enum search_end first_call_search(
    struct search *search, scan_visit *see, void *context, struct failure *failure);

#endif
