#ifndef SANDBOX_DESCRIPTORS_H
#define SANDBOX_DESCRIPTORS_H
/*
 * Packets of fixed form that bring file descriptors along, over a SEQPACKET socket.
 */
#include <stddef.h>
#include <sys/types.h>

#define DESCRIPTORS_MAX 2 /* in one packet */

/* Sends a packet and fds[count]; they stay the caller's. Returns what sendmsg returns. */
ssize_t descriptors_send(int socket, const void *packet, size_t size, const int *fds, size_t count);

/* Receives a packet, with MSG_* flags, and the descriptors that come with it. When they are exactly
 * `count`, they are the caller's, CLOEXEC, in fds[count]. Otherwise they are closed, and each of
 * fds is -1. Returns what recvmsg returns. */
ssize_t descriptors_receive(
    int socket, void *packet, size_t size, int flags, int *fds, size_t count);

#endif
