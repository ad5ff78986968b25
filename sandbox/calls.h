#ifndef SANDBOX_CALLS_H
#define SANDBOX_CALLS_H
/*
 * The groups of system calls that roles.c composes its roles of.
 */
#include "sandbox/roles.h"

extern const struct syscall_group life_calls, own_signal_calls, stream_calls, plain_memory_calls,
    worker_calls, program_calls, gdb_calls, replay_calls, compat_calls, confine_calls,
    starter_calls, query_calls, change_calls, status_calls, broker_calls, inspector_calls,
    forbidden_calls;

#endif
