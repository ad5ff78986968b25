#ifndef SUPERVISOR_WRITE_WHOLE_H
#define SUPERVISOR_WRITE_WHOLE_H
#include <stddef.h>

/* Writes all of it, in as many writes as it takes. Returns 0; -1 with errno, and a part may be
 * there. */
int write_whole(int fd, const char *text, size_t length);

#endif
