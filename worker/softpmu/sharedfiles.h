/*
 * The files that rr shares with the program. rr creates them in the directory for temporary files,
 * under the process's number, and removes their names at once. Recordings in pid namespaces of
 * their own have the same numbers. So the name of another one's may be there for a moment, and rr
 * ends when it is.
 */
#ifndef RR_WARDEN_SOFTPMU_SHAREDFILES_H
#define RR_WARDEN_SOFTPMU_SHAREDFILES_H

#include <stdbool.h>

/* Whether these arguments of open create such a file. */
bool sharedfiles_creates(const char *path, int flags);

/*
 * open has found that the file exists. Waits a little, and returns true while it is worth another
 * try; tries counts them, from 0. A file that stays for a second belongs to nobody who removes it.
 */
bool sharedfiles_wait(int tries);

#endif
