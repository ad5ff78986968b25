/*
 * Files that a program maps. Of those that it takes to stay as they are, rr keeps the name alone:
 * programs, and files that nobody may write to, such as git's packs. A worker sees programs and
 * what belongs to the system, and no other file that a trace names, because anybody can write a
 * trace: without a copy of these, a replay is impossible.
 */
#ifndef RR_WARDEN_SOFTPMU_MAPPEDFILES_H
#define RR_WARDEN_SOFTPMU_MAPPEDFILES_H

#include <stdbool.h>

/* rr asks about the file system of a file that is mapped, and copies what is not on a disk. Whether
 * it shall copy this one. */
bool mappedfiles_is_copied(int fd);

#endif
