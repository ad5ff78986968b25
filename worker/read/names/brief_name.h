#ifndef WORKER_BRIEF_NAME_H
#define WORKER_BRIEF_NAME_H
/*
 * Names of functions within a sentence. A long name of C++ loses whole lists of template arguments
 * and parameters, never a part of one: "std::vector<...>::at". Pure: text in, text out.
 */
#include <stddef.h>

#define BRIEF_NAME_MAX 200 /* with the terminating zero */

/* Writes the name into `text` and returns it. What is too long even so ends in "...". */
const char *brief_name(const char *name, char text[BRIEF_NAME_MAX]);

#endif
