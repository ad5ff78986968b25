#ifndef TESTS_DOUBLES_SERVICE_H
#define TESTS_DOUBLES_SERVICE_H
/*
 * What the workers among the doubles share: they serve as a worker does.
 */
#include "sandbox/wire/channel.h"
#include "sandbox/wire/proto.h"

/* Answers the start as a worker should, and every other request with what `act` returns, until the
 * supervisor says stop or is gone. Returns the exit status. */
int service_run(json_t *(*act)(const struct channel_packet *request));

#endif
