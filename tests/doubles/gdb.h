#ifndef TESTS_DOUBLES_GDB_H
#define TESTS_DOUBLES_GDB_H
/*
 * What the double of gdb and the tests that use it agree on: the names of those that die and of the
 * one that holds a command.
 */

/* Begins the name of its file; a number follows: of commands that it still takes after the first
 * one with the sign. */
#define GDB_DIES_AFTER "gdb-dies-after-"
#define GDB_SIGN       "7700077" /* an expression that tells it to count from here on */

/* The name of its file: an interrupt kills it once the command with the sign has come. */
#define GDB_DIES_OF_INTERRUPT "gdb-dies-of-interrupt"

/* The name of its file. Digits behind the sign tell how many commands pass before the one that it
 * holds. Then it makes a file with its own name and this ending, and goes on when the other one is
 * there. It removes that when gdb has got the command, and the interrupt if there was one. */
#define GDB_HOLDS "gdb-holds"
#define GDB_HELD  ".held"
#define GDB_GO	  ".go"

/* The name of its file. Inside of a string, the sign has a text behind it: from then on it refuses
 * all commands with that text itself. */
#define GDB_REFUSES "gdb-refuses"
#define GDB_NO	    "refused by the test"

/* The name of its file. It is built without Python, as gdb-minimal is. */
#define GDB_BARE      "gdb-bare"
#define GDB_BARE_SAYS "Python scripting is not supported in this copy of GDB."

/* The name of its file. Once a command with the sign has come, no hardware breakpoint that is set
 * stops the program any more, as if each of its traps were lost. */
#define GDB_MISSES "gdb-misses"

/* With this many more for each step, an interrupt reaches gdb so many steps behind the command. */
#define GDB_LATER	  1000
#define GDB_LATER_STEP_US 200

#endif
