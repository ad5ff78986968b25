/*
 * walks.c again, linked statically and optimised: several variables are written at once, and
 * between two branches.
 */
#include "walks.c"
