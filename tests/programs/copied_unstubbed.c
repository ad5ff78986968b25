/*
 * copied.c again, without stubs: each call goes through its slot itself.
 */
#include "copied.c"
