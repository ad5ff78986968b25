/*
 * The log: bounded lines of printable ASCII on stderr. Must never write to stdout,
 * which belongs to the client, and never pass on a control character.
 */
#include "sandbox/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syslog.h>
#include <sys/un.h>
#include <time.h>
#include <unistd.h>

#define PART_MAX       370 /* bytes of a path's beginning, and of its end, in the audit */
#define WRITER_WAIT_MS 1000

static enum log_level shown = LOG_LEVEL_AUDIT;
static bool has_times;

/* Connected to the system log; -1: the audit goes only to stderr. */
static int audit_fd = -1;

void log_escape(char *line, size_t size, const char *text)
{
	static const char hex[] = "0123456789abcdef", cut[] = "...";
	size_t used = 0;

	for (; *text; text++) {
		unsigned char c = (unsigned char)*text;
		size_t width = c >= ' ' && c < 0x7f ? 1 : 4;

		if (used + width + sizeof(cut) > size) {
			memcpy(line + used, cut, sizeof(cut));
			return;
		}
		if (width == 1) {
			line[used++] = (char)c;
			continue;
		}
		line[used++] = '\\';
		line[used++] = 'x';
		line[used++] = hex[c >> 4];
		line[used++] = hex[c & 15];
	}
	line[used] = '\0';
}

/* A reader of stderr that has stopped must not block us. Only the many lines of gdb wait for one
 * that writes them to a file. */
static int stderr_takes_a_line(enum log_level level)
{
	struct pollfd fd = {.fd = STDERR_FILENO, .events = POLLOUT};

	return poll(&fd, 1, has_times && level == LOG_LEVEL_GDB ? WRITER_WAIT_MS : 0) == 1 &&
	       (fd.revents & POLLOUT);
}

/* "2026-11-25T14:03:05.120Z ", or nothing. */
static void write_time(char *text, size_t size)
{
	struct timespec now;
	struct tm parts;
	size_t used;

	text[0] = '\0';
	if (!has_times || clock_gettime(CLOCK_REALTIME, &now) != 0 ||
	    gmtime_r(&now.tv_sec, &parts) == NULL)
		return;
	used = strftime(text, size, "%Y-%m-%dT%H:%M:%S", &parts);
	snprintf(text + used, size - used, ".%03dZ ", (int)(now.tv_nsec / 1000000));
}

static void write_line(enum log_level level, const char *format, va_list args)
{
	static const char *const words[] = {[LOG_LEVEL_ERROR] = "error",
	    [LOG_LEVEL_AUDIT] = "audit",
	    [LOG_LEVEL_CALLS] = "call",
	    [LOG_LEVEL_GDB] = "gdb"};
	char text[LOG_LINE_MAX], escaped[LOG_LINE_MAX - 96], line[LOG_LINE_MAX], time[32];
	int saved = errno, len;

	if (level > shown || !stderr_takes_a_line(level))
		goto out;
	vsnprintf(text, sizeof(text), format, args);
	log_escape(escaped, sizeof(escaped), text);
	write_time(time, sizeof(time));
	len = snprintf(line, sizeof(line), "%srr-warden[%d]: %s: %s\n", time, (int)getpid(),
	    words[level], escaped);
	if (write(STDERR_FILENO, line, (size_t)len) < 0)
		goto out; /* there is no place left to report it */
out:
	errno = saved;
}

/* In the form of RFC 3164, without the time, which the daemon adds. */
static void send_audit(const char *format, va_list args)
{
	char text[LOG_LINE_MAX], escaped[LOG_LINE_MAX - 64], line[LOG_LINE_MAX];
	int saved = errno, len;

	vsnprintf(text, sizeof(text), format, args);
	log_escape(escaped, sizeof(escaped), text);
	len = snprintf(line, sizeof(line), "<%d>rr-warden[%d]: audit: %s", LOG_AUTHPRIV | LOG_INFO,
	    (int)getpid(), escaped);
	(void)send(audit_fd, line, (size_t)len,
	    MSG_DONTWAIT | MSG_NOSIGNAL); /* stderr already has the line */
	errno = saved;
}

void log_at(enum log_level level, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(level, format, args);
	va_end(args);
}

void log_audit(const char *format, ...)
{
	va_list args;

	va_start(args, format);
	write_line(LOG_LEVEL_AUDIT, format, args);
	va_end(args);
	if (audit_fd < 0)
		return;
	va_start(args, format);
	send_audit(format, args);
	va_end(args);
}

void log_gdb(const char *where, const char *bytes, size_t length)
{
	while (length > 0 && bytes[length - 1] == '\n')
		length--;
	log_at(LOG_LEVEL_GDB, "%s: %.*s", where, length < LOG_LINE_MAX ? (int)length : LOG_LINE_MAX,
	    bytes);
}

void log_set_level(enum log_level level, bool times)
{
	shown = level;
	has_times = times;
	/* even gmtime_r opens a file the first time, which kills a broker */
	if (times)
		tzset();
}

void log_audit_path(const char *what, const char *path, const char *result)
{
	static char escaped[4 * PATH_MAX];
	size_t length;

	log_escape(escaped, sizeof(escaped), path);
	length = strlen(escaped);
	if (length <= 2 * PART_MAX)
		log_audit("%s %s: %s", what, escaped, result);
	else
		log_audit("%s %.*s...%s: %s", what, PART_MAX, escaped, escaped + length - PART_MAX,
		    result);
}

int log_audit_to(const char *path)
{
	struct sockaddr_un address = {.sun_family = AF_UNIX};
	int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
		return audit_fd = fd;
	log_error(
	    "the audit goes only to stderr, because %s cannot be used: %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return audit_fd = -1;
}
