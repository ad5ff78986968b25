#ifndef WORKER_THROWN_VALUE_H
#define WORKER_THROWN_VALUE_H
/*
 * What an exception object is: its type, its message, its value.
 */
#include <jansson.h>
#include "worker/session/replay.h"

/* {type, what, value}, as far as each is known, of the object with that std::type_info. `output`
 * (may be NULL) is what the program printed: the C++ library tells the type and the message when
 * nothing catches an exception. */
json_t *thrown_value(struct replay *replay, unsigned long long object, unsigned long long type_info,
    const json_t *output);

#endif
