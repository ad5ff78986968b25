#ifndef SANDBOX_LOG_H
#define SANDBOX_LOG_H
/*
 * One line to stderr, for people; with --log, supervisor/monitor/log_writer.h leads it to a file.
 * stdout belongs to MCP.
 *
 * A line is at most LOG_LINE_MAX bytes and holds printable ASCII only: what a traced program or a
 * client chose ends up in logs, and terminals obey control characters.
 */
#include <stdbool.h>
#include <stddef.h>

#define LOG_LINE_MAX 1024

/* Each level has the lines of those before it. What goes to the system log is not changed. */
enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_AUDIT, LOG_LEVEL_CALLS, LOG_LEVEL_GDB };

/*
 * Writes "rr-warden[PID]: error: TEXT\n" in one write, or what else the level is called. Never
 * waits for a reader of a full pipe, never fails, keeps errno.
 */
void log_at(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define log_error(...) log_at(LOG_LEVEL_ERROR, __VA_ARGS__)

/* "call": what a client asked for, and how long it took. */
#define log_call(...) log_at(LOG_LEVEL_CALLS, __VA_ARGS__)

/* The same with "audit": what the settings granted or refused. Also goes where log_audit_to says.
 */
void log_audit(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The same as "WHAT PATH: RESULT". Of a long path, the middle is left out, and never the result. */
void log_audit_path(const char *what, const char *path, const char *result);

/* For this process and those that it forks: LOG_LEVEL_AUDIT and no times before. */
void log_set_level(enum log_level level, bool times);

/* A line with "gdb", of one exchange with gdb or rr: `where` is "to gdb", for instance. */
void log_gdb(const char *where, const char *bytes, size_t length);

#define LOG_SYSLOG "/dev/log"

/*
 * From now on the audit goes to a daemon's socket as well, as authpriv.info. Returns the
 * descriptor, which stays open and is not the caller's to close; -1 when nobody listens there, and
 * stderr says so.
 */
int log_audit_to(const char *path);

/*
 * Copies text into line[size] with everything but printable ASCII as \xNN, cut with "..." when it
 * does not fit. size must be at least 8.
 */
void log_escape(char *line, size_t size, const char *text);

#endif
