#ifndef SUPERVISOR_PROJECT_ROOTS_H
#define SUPERVISOR_PROJECT_ROOTS_H
/*
 * The directories below which the sources of recorded programs are looked for, if they are not
 * where the debug information says.
 */
#include <limits.h>
#include <stddef.h>

#include "supervisor/monitor/source_place.h"
#include "supervisor/monitor/source_search.h"

#define PROJECTS_MAX 32

struct project_roots {
	struct source_roots roots;
	char projects[PROJECTS_MAX][PATH_MAX]; /* the names of some */
	size_t project_count;
};

/* Of the program in this directory, which must stay as it is: the directory, the project around it,
 * and the one that its build directory tells. No home, and nothing that contains one. */
void project_roots_of_program(
    const struct source_homes *homes, const char *directory, struct project_roots *places);

/* Of all programs: their directories, the projects around them, those in which people work
 * (`beside`, which ends with NULL), and the directories above the programs. */
void project_roots_of_all(const struct source_homes *homes, char (*directories)[PATH_MAX],
    size_t count, const char *const *beside, struct project_roots *places);

#endif
