/*
 * races.c again, linked statically.
 */
#include "races.c"
