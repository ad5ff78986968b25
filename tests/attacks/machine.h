#ifndef TESTS_ATTACKS_MACHINE_H
#define TESTS_ATTACKS_MACHINE_H
/*
 * A machine that others use too: homes of theirs with open and private files, and keys where
 * services have them. Only this process and what it starts see it.
 */
#include <stdbool.h>

/* Homes below /home: /home/victim has .ssh/id_test, notes.txt, bin/look (ls), bin/key and
 * project/open.txt, each with the SECRET of stage.h. False where they cannot be made. */
bool machine_has_homes(void);

/* The homes, and the keys over /etc, /var/lib and /var/backups. */
bool machine_has_keys(void);

/* NULL-terminated, each with the SECRET. */
extern const char *const machine_keys[];

#endif
