/*
 * Says why a recording ends before its program. The file with rr's words may come from anywhere
 * with an imported trace: only its first line is shown, made visible.
 */
#include "worker/session/unended.h"
#include "worker/session/replay_inside.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/scrub.h"
#include "worker/session/images.h"
#include "worker/trace/trace.h"

#define LINE_BYTES 700

json_t *unended_reason(const struct replay *replay)
{
	char line[LINE_BYTES];
	struct stat status;
	ssize_t length = 0;
	cleanup_fd int fd = -1;

	if (!images_is_unfinished(replay))
		return NULL;
	fd = openat(replay->trace, TRACE_LAST_WORDS_FILE,
	    O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		length = read(fd, line, sizeof(line) - 1);
	if (length <= 0)
		return json_string("its recorder stopped");
	line[length] = '\0';
	return scrub_json(line, strcspn(line, "\n"), LINE_BYTES * 4, NULL);
}

json_t *unended_note(const struct replay *replay)
{
	json_auto_t *reason = unended_reason(replay);

	return reason ? json_sprintf("the recording ends here, but the program had not ended: %s",
			    json_string_value(reason))
		      : NULL;
}
