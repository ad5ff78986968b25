#ifndef SANDBOX_LOG_H
#define SANDBOX_LOG_H
/*
 * One line to stderr, for people. stdout belongs to MCP.
 *
 * A line is at most LOG_LINE_MAX bytes and holds printable ASCII only: what a traced program or a
 * client chose ends up in logs, and terminals obey control characters.
 */
#include <stddef.h>

#define LOG_LINE_MAX 1024

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };

/* Lines above the level are dropped from now on; the default is LOG_LEVEL_WARNING. */
void log_set_level(enum log_level level);

/* The level of a name ("error", "warning", "info", "debug"); -1 when unknown. */
int log_level_from_name(const char *name);

/*
 * Writes "rr-warden[PID]: LEVEL: TEXT\n" in one write. Never blocks the caller for a full pipe
 * longer than the kernel takes to refuse, never fails, keeps errno.
 */
void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* The same at no level: "rr-warden[PID]: audit: TEXT\n". What the settings granted or refused is
 * always said. */
void log_audit(const char *format, ...) __attribute__((format(printf, 1, 2)));

/*
 * Copies text into line[size] with everything but printable ASCII as \xNN, cut with "..." when it
 * does not fit. size must be at least 8.
 */
void log_escape(char *line, size_t size, const char *text);

#endif
