#ifndef SUPERVISOR_LOG_WRITER_H
#define SUPERVISOR_LOG_WRITER_H
/*
 * The process that holds the file of --log, so that no other process of ours does: who holds a file
 * can clear O_APPEND, and then change or remove the lines that are there.
 *
 * The monitor and the brokers write to one SEQPACKET socket. The supervisor and each worker get a
 * pipe of their own, so that one that was taken over can neither shut down, fill nor read what
 * others write. Ends when nobody is left who could write.
 */
#include "supervisor/settings.h"

/*
 * Opens the file, starts the process and puts its socket in stderr's place, for this process and
 * those that it forks. Returns a descriptor that is readable once everything is in the file that
 * was written before this process closed stderr; -1 with errno.
 */
int log_writer_start(const char *path, const struct settings *settings);

/* Waits for that, but not long. */
void log_writer_finish(int finished);

enum log_source { LOG_SOURCE_SUPERVISOR, LOG_SOURCE_WORKER };

/*
 * Gives this process a pipe of its own in stderr's place; lines of a worker begin with "worker: "
 * then, because they can say anything. Does nothing if there is no writer. Returns 0; -1 with
 * errno, and this process must end then: it has the monitor's socket.
 */
int log_writer_join(enum log_source source);

#endif
