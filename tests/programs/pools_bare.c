/*
 * pools.c, without debug information.
 */
#include "pools.c"
