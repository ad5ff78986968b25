/*
 * walks.c again, linked statically: it starts without a loader, so that a walk takes a fifth of the
 * time.
 */
#include "walks.c"
