/*
 * See broker_task.h. Opens nothing.
 */
#include "supervisor/monitor/broker_task.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>
#include <stdio.h>
#include <string.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/ledger.h"
#include "supervisor/monitor/source_place.h"
#include "supervisor/monitor/trace_paths.h"

static bool ends_with(const char *text, const char *end)
{
	size_t length = strlen(text), wanted = strlen(end);

	return length > wanted && strcmp(text + length - wanted, end) == 0;
}

/* The part of a path below the client's working directory: only there, a dot is refused. */
static const char *below_known_place(const struct composition *composition, const char *real)
{
	char here[PATH_MAX];

	if (visible_paths_follow(NULL, composition->paths->here, false, here) == 0 &&
	    visible_path_is_within(real, here))
		return real + strlen(here);
	return real;
}

/* Finds the archive's place. If it is not allowed, the request for it is refused later. */
static void find_archive(struct broker_task *task, const struct composition *composition)
{
	char path[PATH_MAX], *real = task->archive;

	strlcpy(task->named, composition->names[LAUNCH_FILE], sizeof(task->named));
	task->reads = composition->operation == WIRE_OP_IMPORT;
	task->writes = composition->operation == WIRE_OP_EXPORT;
	if (!composition->names[LAUNCH_FILE][0] || (!task->reads && !task->writes))
		return;
	if (trace_paths_absolute(composition, composition->names[LAUNCH_FILE], path, sizeof(path)) <
		0 ||
	    visible_paths_follow(NULL, path, true, real) < 0 || !strrchr(real, '/')[1]) {
		real[0] = '\0';
		task->error = errno;
		task->why_none = strerror(errno);
		return;
	}
	strlcpy(task->directory, real, sizeof(task->directory));
	*strrchr(task->directory, '/') = '\0';
	if (!task->directory[0])
		strlcpy(task->directory, "/", sizeof(task->directory));
	if (!trace_paths_may_be_here(composition, task->directory))
		task->why_none = "archives must be below the server's trace roots";
	else if (task->writes && !ends_with(real, ".tar"))
		task->why_none = "the name of an archive must end in .tar";
	else if (source_place_has_dotted(below_known_place(composition, real)))
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
	char real[PATH_MAX];

	for (const char *const *item = settings_list(composition->settings, setting); *item; item++)
		if (visible_paths_follow(NULL, *item, false, real) == 0)
			add_root(roots, real);
}

/* Finds the tree of the directory in which the server was started, unless the administrator limits
 * the server to others. False if there is none. */
static bool find_work_tree(const struct composition *composition, char tree[PATH_MAX], bool *is_git)
{
	struct source_homes homes;
	char here[PATH_MAX];

	source_homes_find(&homes);
	return visible_paths_follow(NULL, composition->paths->here, false, here) == 0 &&
	       source_place_work_tree(&homes, here, tree, is_git) &&
	       trace_paths_may_be_here(composition, tree);
}

/* What the recording could see of hidden places, and where its sources may be. */
static void find_recording(
    struct broker_task *task, const struct composition *composition, bool covers)
{
	static const enum visible_list lists[] = {VISIBLE_READ, VISIBLE_WRITE};
	const struct visible_paths *visible = &composition->visible;
	const char *name = composition->names[LAUNCH_DIRECTORY];
	char path[PATH_MAX];
	bool is_git;

	task->keeps_ledger = true;
	task->covers = covers;
	for (size_t i = 0; i < sizeof(lists) / sizeof(*lists); i++)
		for (size_t j = 0; j < visible->counts[lists[i]]; j++)
			add_root(&task->trees, visible->lists[lists[i]][j]);
	if (*name && (trace_paths_absolute(composition, name, path, sizeof(path)) < 0 ||
			 visible_paths_follow(NULL, path, false, task->working) < 0))
		task->working[0] = '\0';
	if (!find_work_tree(composition, task->here, &is_git) || !is_git)
		task->here[0] = '\0';
}

/* The name of what rr_rm removes from the ledger. The trace is gone when the worker asks for it. */
static void find_removed(struct broker_task *task, const struct composition *composition)
{
	const struct visible_paths *visible = &composition->visible;

	task->forgets = true;
	for (size_t i = 0; i < visible->counts[VISIBLE_WRITE]; i++) {
		cleanup_fd int trace = open(visible->lists[VISIBLE_WRITE][i],
		    O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (trace < 0 || ledger_name(trace, task->ledger) < 0)
			continue;
		strlcpy(task->trace, visible->lists[VISIBLE_WRITE][i], sizeof(task->trace));
		return;
	}
}

void broker_task_make(struct broker_task *task, const struct composition *composition, bool covers)
{
	char tree[PATH_MAX];

	task->syslog = settings_number(composition->settings, SETTING_AUDIT) != 0;
	if (composition->kind == WORKER_RECORD) {
		find_recording(task, composition, covers);
		return;
	}
	if (composition->operation == WIRE_OP_RM) {
		find_removed(task, composition);
		return;
	}
	add_list(&task->trees, composition, SETTING_SOURCES);
	task->named_trees = task->trees.count;
	if (find_work_tree(composition, tree, NULL))
		add_root(&task->trees, tree);
	find_archive(task, composition);
	strlcpy(task->recorded[0], composition->trace, sizeof(task->recorded[0]));
	strlcpy(task->recorded[1], composition->other_trace, sizeof(task->recorded[1]));
	if (composition->kind == WORKER_REPLAY)
		strlcpy(task->trace, composition->trace, sizeof(task->trace));
}
