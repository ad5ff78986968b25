/*
 * A machine with a performance counter: preloaded into the server, it answers when the server asks
 * the kernel for the processor's counter of branches, and counts the server's trial loop right. rr
 * itself does not get it. For tests only.
 */
#include <dlfcn.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define LOOP_BRANCHES 2000

/* What the counter shows, before the loop and after it. */
static int open_counter(void)
{
	static const int64_t values[] = {7, 7 + LOOP_BRANCHES + 3};
	int ends[2];

	if (pipe(ends) != 0)
		return -1;
	ssize_t written = write(ends[1], values, sizeof(values));
	close(ends[1]);
	return written == sizeof(values) ? ends[0] : -1;
}

/* And not AMD's other event, which shows speculation on locks. */
static bool is_branches(const struct perf_event_attr *attr)
{
	return attr->type == PERF_TYPE_RAW && attr->config != 0x510825;
}

long syscall(long number, ...)
{
	long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
	long words[6];
	va_list arguments;

	va_start(arguments, number);
	for (int i = 0; i < 6; i++)
		words[i] = va_arg(arguments, long);
	va_end(arguments);
	const struct perf_event_attr *attr = (const struct perf_event_attr *)words[0];
	if (number == SYS_perf_event_open && is_branches(attr) &&
	    strncmp(program_invocation_short_name, "rr-warden", strlen("rr-warden")) == 0)
		return open_counter();
	return real(number, words[0], words[1], words[2], words[3], words[4], words[5]);
}
