/*
 * One-line messages on rr's standard error, each saying what happened and what to do.
 */
#ifndef RR_WARDEN_SOFTPMU_MESSAGE_H
#define RR_WARDEN_SOFTPMU_MESSAGE_H

/* Writes "rr-warden softpmu: " and the text as one line. */
void message_warn(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same, then ends rr with status 1; its tracees die with it. */
_Noreturn void message_fatal(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
