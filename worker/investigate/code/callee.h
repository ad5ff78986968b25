#ifndef WORKER_CALLEE_H
#define WORKER_CALLEE_H
/*
 * Which function a call instruction calls.
 */
#include "worker/investigate/code/function_code.h"

/* Where the program stands at a call with this target: the name of the function that is called,
 * also where the code only says from where its address is taken. */
void callee_name(struct replay *replay, const char *target, char callee[FUNCTION_NAME_MAX]);

#endif
