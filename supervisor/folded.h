/*
 * Long texts on a terminal: lines break between words, and later lines begin below the first. Not
 * for commands, because people copy them.
 */
#ifndef SUPERVISOR_FOLDED_H
#define SUPERVISOR_FOLDED_H

#include <stdio.h>

/* Returns the width in which to print: out's terminal's, 120 columns at most; 0 (do not fold) if
 * out is no terminal, or one that does not tell its width or is narrower than 40 columns. */
int folded_width(FILE *out);

/*
 * Prints text and ends the line. column is where the cursor stands, in columns from 0; all lines
 * begin there. A word that is longer than a line stays whole. Columns are bytes: what is not ASCII
 * folds early.
 */
void folded_print(FILE *out, const char *text, int column, int width);

#endif
