/*
 * See broker_task.h. Opens nothing.
 */
#include "supervisor/monitor/broker_task.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/trace_sight.h"

bool broker_task_has_dotted(const char *below)
{
	return below[0] == '.' || strstr(below, "/.") != NULL;
}

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length > wanted && strcmp(text + length - wanted, end) == 0;
}

/* The part of a path below the client's working directory: only there, a dot is refused. */
static const char *below_known_place(const struct composition *composition, const char *real)
{
	struct sight ignored = {0};
	char here[PATH_MAX];

	if (sight_follow(&ignored, composition->paths->here, false, here) == 0 &&
	    sight_is_within(real, here))
		return real + strlen(here);
	return real;
}

/* Finds the archive's place. If it is not allowed, the request for it is refused later. */
static void find_archive(struct broker_task *task, const struct composition *composition)
{
	char path[PATH_MAX], *real = task->archive;
	struct sight ignored = {0};

	strlcpy(task->named, composition->names[LAUNCH_FILE], sizeof(task->named));
	task->reads = composition->operation == WIRE_OP_IMPORT;
	task->writes = composition->operation == WIRE_OP_EXPORT;
	if (!composition->names[LAUNCH_FILE][0] || (!task->reads && !task->writes))
		return;
	if (trace_sight_absolute(composition, composition->names[LAUNCH_FILE], path, sizeof(path)) <
		0 ||
	    sight_follow(&ignored, path, true, real) < 0 || !strrchr(real, '/')[1]) {
		real[0] = '\0';
		task->error = errno;
		task->why_none = strerror(errno);
		return;
	}
	strlcpy(task->directory, real, sizeof(task->directory));
	*strrchr(task->directory, '/') = '\0';
	if (!task->directory[0])
		strlcpy(task->directory, "/", sizeof(task->directory));
	if (!trace_sight_may_be_here(composition, task->directory))
		task->why_none = "archives must be below the server's trace roots";
	else if (task->writes && !ends_with(real, ".tar"))
		task->why_none = "the name of an archive must end in .tar";
	else if (broker_task_has_dotted(below_known_place(composition, real)))
		task->why_none = "no part of an archive's path may begin with a dot";
	else
		return;
	real[0] = '\0';
}

static void add_root(struct roots *roots, const char *real)
{
	if (roots->count < ROOTS_MAX &&
	    strlcpy(roots->paths[roots->count], real, PATH_MAX) < PATH_MAX) {
		roots->list[roots->count] = roots->paths[roots->count];
		roots->count++;
	}
}

static void add_list(
    struct roots *roots, const struct composition *composition, enum setting setting)
{
	struct sight ignored = {0};
	char real[PATH_MAX];

	for (const char *const *item = settings_list(composition->settings, setting); *item; item++)
		if (sight_follow(&ignored, *item, false, real) == 0)
			add_root(roots, real);
}

void broker_task_make(struct broker_task *task, const struct composition *composition)
{
	const struct sight *sight = &composition->sight;

	for (size_t i = 0; i < sight->counts[SIGHT_TREE]; i++)
		add_root(&task->trees, sight->lists[SIGHT_TREE][i]);
	for (size_t i = 0; i < sight->counts[SIGHT_FLAT]; i++)
		add_root(&task->flats, sight->lists[SIGHT_FLAT][i]);
	add_list(&task->trees, composition, SETTING_SOURCES);
	task->syslog = settings_number(composition->settings, SETTING_AUDIT) != 0;
	find_archive(task, composition);
	if (composition->kind == WORKER_REPLAY)
		strlcpy(task->trace, composition->trace, sizeof(task->trace));
}
