#ifndef SUPERVISOR_BROKER_H
#define SUPERVISOR_BROKER_H
/*
 * The process that opens files of the user for a worker, one at a time and as the settings allow:
 * sources of the recorded program, and the archive that the call names. For a
 * recording, it notes in the ledger which sources these are. It is a separate process,
 * outside of the worker's namespaces and confined to these places, so that neither a dead file
 * system nor a worker's packets can harm the launcher.
 */
#include "sandbox/sandbox.h"

struct composition;
struct broker;

/*
 * In the launcher: forks the process, which waits for its task. Returns the worker's
 * end and *broker, for broker_tell and broker_close; -1 with errno. Where the kind of worker asks
 * for no files, there is no process, and nobody listens on the other end.
 */
int broker_start(const struct composition *composition, const struct sandbox_policy *policy,
    struct broker **broker);

/* In the child that becomes the worker, once it is known what is seen (covers: as the policy has
 * it): tells the process, and waits until it is confined. Returns 0, -1 when it is not. */
int broker_tell(struct broker *broker, const struct composition *composition, bool covers, int end);

/* In the launcher: forgets it, because it ends with its worker. */
void broker_close(struct broker *broker);

#endif
