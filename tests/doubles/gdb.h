#ifndef TESTS_DOUBLES_GDB_H
#define TESTS_DOUBLES_GDB_H
/*
 * The names of the gdb that dies, for the double and the test that uses it.
 */

/* Begins the name of its file; a number follows: of commands that it still takes after the first
 * one with the sign. */
#define GDB_DIES_AFTER "gdb-dies-after-"
#define GDB_SIGN       "7700077" /* an expression that tells it to count from here on */

#endif
