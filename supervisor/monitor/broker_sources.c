/*
 * See broker_sources.h. Must only open what the ledger lists for the worker's traces, and what is
 * below the directories that the settings name or the server was started in. A refusal must not
 * tell whether there is such a file.
 */
#include "supervisor/monitor/broker_sources.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "supervisor/monitor/broker_requests.h"
#include "supervisor/monitor/ledger.h"
#include "supervisor/monitor/ledger_survey.h"
#include "supervisor/monitor/visible_paths.h"
#include "supervisor/monitor/source_place.h"
#include "supervisor/monitor/source_search.h"

#define SOURCE_MAX     (16L * 1024 * 1024) /* bytes; a larger file is not a source file */
#define SURVEYS_MAX    1000		   /* recordings of one worker */
#define CLOCK_SLACK_NS 50000000LL	   /* the kernel's clock for files lags a little */

/* ---- Preparing --------------------------------------------------------------------------------
 */

static size_t depth_of(const char *path)
{
	size_t depth = 0;

	for (; *path; path++)
		depth += *path == '/';
	return depth;
}

static void cut_to_depth(char *path, size_t depth)
{
	for (; *path; path++)
		if (*path == '/' && depth-- == 0) {
			*path = '\0';
			return;
		}
}

/* Adds the directory of a file, cut to some depth. False if there are too many. */
static bool add_directory(struct roots *roots, const char *file, size_t depth)
{
	char path[PATH_MAX];

	strlcpy(path, file, sizeof(path));
	*strrchr(path, '/') = '\0';
	cut_to_depth(path, depth);
	if (!path[0])
		strlcpy(path, "/", sizeof(path));
	for (size_t i = 0; i < roots->count; i++)
		if (strcmp(roots->paths[i], path) == 0)
			return true;
	if (roots->count == ROOTS_MAX)
		return false;
	strlcpy(roots->paths[roots->count], path, PATH_MAX);
	roots->list[roots->count] = roots->paths[roots->count];
	roots->count++;
	return true;
}

/* Landlock has no room for each file: the deeper directories are joined until they are few. What is
 * opened is decided file by file. */
static bool add_directories(struct broker *broker, size_t depth)
{
	struct roots *roots = &broker->source_directories;

	memset(roots->list, 0, sizeof(roots->list));
	roots->count = 0;
	for (size_t i = 0; i < 2; i++) {
		const struct ledger *ledger = broker->ledgers[i];
		for (size_t j = 0; ledger && j < ledger->count; j++)
			if (ledger->entries[j].kind == LEDGER_SOURCE &&
			    !add_directory(roots, ledger->entries[j].place, depth))
				return false;
	}
	return true;
}

/* A recorded program can write the ledger, where it can write in the home. So the places are judged
 * as those of a recording are: what is hidden from it cannot be added. */
static void drop_unfit(struct ledger *ledger, const struct source_homes *homes)
{
	size_t kept = 0;

	for (size_t i = 0; i < ledger->count; i++)
		if (ledger->entries[i].kind != LEDGER_SOURCE ||
		    source_place_is_fit(homes, ledger->entries[i].place))
			ledger->entries[kept++] = ledger->entries[i];
	ledger->count = kept;
}

static void load(struct broker *broker)
{
	size_t deepest = 1;

	source_homes_find(&broker->homes);
	for (size_t i = 0; i < 2; i++) {
		struct ledger *ledger =
		    broker->task.recorded[i][0] ? ledger_load(broker->task.recorded[i]) : NULL;
		broker->ledgers[i] = ledger;
		if (ledger)
			drop_unfit(ledger, &broker->homes);
		for (size_t j = 0; ledger && j < ledger->count; j++)
			if (depth_of(ledger->entries[j].place) > deepest)
				deepest = depth_of(ledger->entries[j].place);
	}
	while (!add_directories(broker, deepest))
		deepest--;
}

void broker_sources_prepare(struct broker *broker)
{
	const struct broker_task *task = &broker->task;
	struct timespec now;
	char place[PATH_MAX];

	clock_gettime(CLOCK_REALTIME, &now);
	broker->since = now.tv_sec * 1000000000LL + now.tv_nsec - CLOCK_SLACK_NS;
	load(broker);
	if (task->keeps_ledger || task->ledger[0]) {
		cleanup_fd int fd = ledger_directory(place, task->keeps_ledger);
		if (fd < 0 || visible_paths_follow(NULL, place, false, broker->ledger_place) < 0)
			broker->ledger_place[0] = '\0';
	}
}

/* ---- Opening ----------------------------------------------------------------------------------
 */

static bool is_in_trees(const struct broker *broker, const char *real)
{
	for (const char *const *root = broker->task.trees.list; *root; root++)
		if (visible_path_is_within(real, *root) &&
		    !source_place_has_dotted(real + strlen(*root)) &&
		    (source_place_is_open(&broker->homes, real) ||
			!source_place_uncovers(*root, real)))
			return true;
	return false;
}

static int open_place(const char *place, struct broker_reply *reply)
{
	strlcpy(reply->path, place, sizeof(reply->path));
	return broker_judge(broker_open(AT_FDCWD, place, O_RDONLY, 0), SOURCE_MAX, reply);
}

/* A source that the ledger lists: only the file that was there, and only if it still belongs to the
 * user or root. */
static int open_listed(
    const struct ledger *ledger, const struct ledger_entry *entry, struct broker_reply *reply)
{
	cleanup_fd int fd = open_place(entry->place, reply);
	struct stat status;

	if (fd < 0 || fstat(fd, &status) < 0)
		return -1;
	if (status.st_uid != geteuid() && status.st_uid != 0)
		return broker_refuse(reply, EACCES, "it belongs to somebody else");
	reply->doubt = (ledger_has_changed(entry, &status) ? BROKER_CHANGED : 0) |
		       (ledger->rebuilt ? BROKER_REBUILT : 0);
	return steal_fd(&fd);
}

static const struct ledger_entry *find_name(
    const struct broker *broker, const char *name, const char *but, const struct ledger **of)
{
	const struct ledger_entry *entry = NULL;

	for (size_t i = 0; i < 2 && !entry; i++) {
		*of = broker->ledgers[i];
		entry = *of ? ledger_find_name(*of, name, but) : NULL;
	}
	return entry;
}

/* The same by the name that the debug information has, when it leads nowhere. Two projects may have
 * been told to write the same name: the wrong text would be worse than none. */
static int open_named(struct broker *broker, const char *plain, struct broker_reply *reply)
{
	const struct ledger *ledger, *ignored;
	const struct ledger_entry *entry = find_name(broker, plain, NULL, &ledger);
	int fd = -1;

	if (entry && !find_name(broker, plain, entry->place, &ignored))
		fd = open_listed(ledger, entry, reply);
	if (fd >= 0)
		reply->doubt |= BROKER_ELSEWHERE;
	return fd;
}

static int open_real(struct broker *broker, const char *real, struct broker_reply *reply)
{
	for (size_t i = 0; i < 2; i++) {
		const struct ledger *ledger = broker->ledgers[i];
		const struct ledger_entry *entry = ledger ? ledger_find_place(ledger, real) : NULL;
		if (entry)
			return open_listed(ledger, entry, reply);
	}
	return is_in_trees(broker, real) ? open_place(real, reply) : -1;
}

struct attempt {
	struct broker *broker;
	struct broker_reply *reply;
};

/* A source_open. */
static int try_place(void *owner, const char *path)
{
	struct attempt *attempt = owner;
	char real[PATH_MAX];

	if (visible_paths_follow(NULL, path, false, real) == 0 &&
	    is_in_trees(attempt->broker, real))
		return open_place(real, attempt->reply);
	errno = ENOENT;
	return -1;
}

/* A file whose path ends like the name, below the trees. If it is known what the recorded program
 * named, another file of that name in the server's directory is none of it. */
static int search_trees(struct broker *broker, const char *name, struct broker_reply *reply)
{
	struct attempt attempt = {broker, reply};
	struct source_roots roots = {0};
	bool known = broker->ledgers[0] || broker->ledgers[1];
	size_t count = known ? broker->task.named_trees : broker->task.trees.count;
	char found[PATH_MAX];
	int fd;

	for (size_t i = 0; i < count; i++)
		source_roots_add(&roots, broker->task.trees.list[i]);
	fd = source_search(&roots, name, try_place, &attempt, found);
	if (fd >= 0)
		reply->doubt |= BROKER_ELSEWHERE;
	return fd;
}

/* ---- Refusing ---------------------------------------------------------------------------------
 */

static int refuse_several(const char *one, const char *other, struct broker_reply *reply)
{
	static const char rest[] = "; --source-dir=DIRECTORY, with that of the right one, chooses";
	char why[2 * PATH_MAX + sizeof(rest) + 32];
	int length = snprintf(why, sizeof(why), BROKER_SEVERAL "%s or %s%s", one, other, rest);

	if (length >= BROKER_WHY_MAX)
		snprintf(why, sizeof(why), BROKER_SEVERAL "one of several files%s", rest);
	return broker_refuse(reply, ENOTUNIQ, why);
}

/* The rule that a name breaks, whether or not there is such a file, so no link but that to the home
 * is followed; NULL if it breaks none. */
static const char *rule_of(const struct broker *broker, const char *name)
{
	static const char *const kernels[] = {"/proc", "/sys", "/dev"};
	const char *home = getenv("HOME");
	char plain[2 * PATH_MAX];

	if (home && home[0] == '/' && broker->homes.count && visible_path_is_within(name, home))
		snprintf(plain, sizeof(plain), "%s%s", broker->homes.paths[0], name + strlen(home));
	else
		strlcpy(plain, name, sizeof(plain));
	for (size_t i = 0; i < sizeof(kernels) / sizeof(*kernels); i++)
		if (visible_path_is_within(plain, kernels[i]))
			return "nothing in /proc, /sys and /dev is a source, with --source-dir "
			       "neither";
	if (plain[0] != '/' || source_place_is_fit(&broker->homes, plain))
		return NULL;
	return source_place_is_open(&broker->homes, plain)
		   ? "directories of a home that begin with a dot contain keys and settings; "
		     "--source-dir=DIRECTORY, with the whole path of this one, shows its sources"
		   : "it is in a place that is hidden from recordings; only "
		     "--source-dir=DIRECTORY with a directory in that place shows sources there";
}

static int refuse_source(const struct broker *broker, const char *plain, struct broker_reply *reply)
{
	const struct ledger *ledger = NULL;
	const struct ledger_entry *entry = find_name(broker, plain, NULL, &ledger), *other;
	const char *rule = rule_of(broker, plain);

	memset(reply->path, 0, sizeof(reply->path));
	if (!broker->ledgers[0] && !broker->ledgers[1])
		return broker_refuse(reply, EACCES,
		    "this server did not record the program, so sources come only from "
		    "--source-dir=DIRECTORY and from the git work tree it was started in");
	other = entry ? find_name(broker, plain, entry->place, &ledger) : NULL;
	if (other)
		return refuse_several(entry->place, other->place, reply);
	for (size_t i = 0; i < 2 && !entry; i++)
		entry = broker->ledgers[i] ? ledger_find_place(broker->ledgers[i], plain) : NULL;
	if (entry)
		return broker_refuse(reply, ENOENT,
		    "it was there when the program was recorded, and is gone, or is not the user's "
		    "own any more; --source-dir=DIRECTORY allows other places");
	return broker_refuse(reply, EACCES,
	    rule ? rule
		 : "it was not there when the program was recorded, or it or the program was not "
		   "the user's own; --source-dir=DIRECTORY allows other places");
}

int broker_open_source(
    struct broker *broker, const char *name, bool *missing, struct broker_reply *reply)
{
	char real[PATH_MAX] = "", plain[PATH_MAX];
	int fd = -1;

	*missing = name[0] != '/' || visible_paths_follow(NULL, name, false, real) < 0;
	if (!*missing)
		fd = open_real(broker, real, reply);
	if (fd < 0 && source_name_plain(name, plain))
		fd = open_named(broker, plain, reply);
	if (fd < 0)
		fd = search_trees(broker, name, reply);
	if (fd < 0)
		return refuse_source(broker, plain, reply);
	*missing = false;
	reply->error = 0;
	reply->why[0] = '\0';
	return fd;
}

/* ---- Recordings -------------------------------------------------------------------------------
 */

void broker_note_recording(struct broker *broker, const char *trace, struct broker_reply *reply)
{
	const struct broker_task *task = &broker->task;
	const char *const beside[] = {task->working[0] ? task->working : task->here,
	    task->working[0] ? task->here : NULL, NULL};
	const struct ledger_scene scene = {.policy = broker->policy,
	    .shown = task->covers ? task->trees.list : NULL,
	    .beside = beside,
	    .since = broker->since};

	if (!task->keeps_ledger || !broker->ledger_place[0])
		broker_refuse(reply, EACCES,
		    "there is no directory for the list of sources: $XDG_STATE_HOME/rr-warden, or "
		    "~/.local/state/rr-warden, must be the user's own");
	else if (broker->surveys++ >= SURVEYS_MAX)
		broker_refuse(reply, EACCES, "this worker has recorded too much");
	else if (ledger_survey(&scene, trace) < 0)
		broker_refuse(reply, errno, strerror(errno));
}

/* The calls are those that this process can make. */
void broker_forget_recording(struct broker *broker, struct broker_reply *reply)
{
	const struct broker_task *task = &broker->task;
	char name[NAME_MAX];
	cleanup_fd int directory = broker_open(AT_FDCWD, broker->ledger_place, O_PATH, 0);
	cleanup_fd int trace = broker_open(AT_FDCWD, task->trace, O_PATH, 0);

	if (!task->ledger[0] ||
	    (trace >= 0 && ledger_name(trace, name) == 0 && strcmp(name, task->ledger) == 0))
		broker_refuse(reply, EACCES, "the trace is still there");
	else if (directory >= 0 && unlinkat(directory, task->ledger, 0) < 0 && errno != ENOENT)
		broker_refuse(reply, errno, strerror(errno));
}
