#ifndef TESTS_ATTACKS_WITNESS_H
#define TESTS_ATTACKS_WITNESS_H
/*
 * A folder that everybody may write to, which no attack may have written to.
 */

/* Makes it under /tmp; to be released by witness_check. */
char *witness_new(void);

/* Fails the test when something has been made in it; removes and frees it. */
void witness_check(char *folder);

#endif
