/*
 * See symbol_paths.h. The files and the trace's list of programs are untrusted, so only confined
 * children read them. Must never show a file that is no debug file of a program of the recording,
 * unless the list cannot tell.
 */
#include "supervisor/monitor/symbol_paths.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "sandbox/cleanup.h"
#include "sandbox/log.h"
#include "supervisor/deadlines.h"
#include "supervisor/monitor/compose.h"
#include "supervisor/monitor/debug_identity.h"
#include "supervisor/monitor/named.h"
#include "supervisor/monitor/recorded_files.h"

#define SYSTEM_DEBUG "/usr/lib/debug/" /* gdb's debug-file-directory */

/* LIMIT: a list of mappings that is longer, packed, may hold more than recorded_files.c takes from
 * it, so that a program which is not found may be there all the same. */
#define MMAPS_WHOLE_MAX (64L * 1024)
#define OBJECTS_SECONDS 3 /* for all programs; beyond that it is not known */

struct symbols {
	struct composition *composition;
	const struct sandbox_policy *policy;
	struct {
		struct named named;
		struct debug_identity identity;
		bool found; /* a program has its build id */
	} files[SYMBOLS_MAX];
	size_t count;
	bool unsure; /* there may be programs that were not looked at */
};

/* ---- The files --------------------------------------------------------------------------------
 */

static int judge(const struct named *named, const struct debug_identity *identity)
{
	static const char *const reasons[] = {
	    [DEBUG_FILE_UNREAD] = "it cannot be read as an ELF file: make it again",
	    [DEBUG_FILE_FOREIGN] = "it is no program and no debug file: name what objcopy "
				   "--only-keep-debug made, or the program before strip",
	    [DEBUG_FILE_DAMAGED] = "it is truncated or damaged, because its sections lie behind "
				   "its end: copy it again",
	    [DEBUG_FILE_EMPTY] = "it has no debug information (.debug_info): name what objcopy "
				 "--only-keep-debug made, or the program before strip",
	};

	if (identity->file != DEBUG_FILE_FULL)
		return named_fail(named, EINVAL, reasons[identity->file]);
	if (identity->own.length == 0)
		return named_fail(named, EINVAL,
		    "it has no build id, by which gdb finds it: link the program with "
		    "-Wl,--build-id, and record it again");
	return 0;
}

/* Without a view of its own, gdb sees the machine's folders, in which we write nothing. */
static int check_view(const struct named *named, const struct debug_identity *identity)
{
	char text[BUILD_ID_NAME_MAX + 160], name[BUILD_ID_NAME_MAX];

	if (named->composition->in_view)
		return 0;
	build_id_name(&identity->own, name);
	snprintf(text, sizeof(text),
	    "without mount_ns, which rr_status tells of, gdb cannot be shown it: copy it "
	    "to " SYSTEM_DEBUG "%s, and leave symbols out",
	    name);
	return named_fail(named, EPERM, text);
}

/* 1; 0 if nothing is named; -1. */
static int take(struct symbols *symbols, const char *name, char *why, size_t why_size)
{
	struct named *named = &symbols->files[symbols->count].named;
	struct debug_identity *identity = &symbols->files[symbols->count].identity;
	struct stat status;
	int followed;

	*named = (struct named){symbols->composition, "symbols", name, "", why, why_size};
	followed = named_follow(named);
	if (followed <= 0)
		return followed;
	if (named_check_hidden(named) < 0)
		return -1;
	cleanup_fd int fd = named_open(named, "a debug file", &status);
	if (fd < 0)
		return -1;
	debug_identity_read(identity, fd, symbols->policy);
	if (judge(named, identity) < 0 || check_view(named, identity) < 0)
		return -1;
	for (size_t i = 0; i < symbols->count; i++)
		if (build_id_equal(&symbols->files[i].identity.own, &identity->own))
			return named_fail(named, EINVAL,
			    "another of the files has the same build id: name one of them");
	symbols->count++;
	return 1;
}

/* ---- The programs of the recording ------------------------------------------------------------
 */

static void note_found(struct symbols *symbols, const struct debug_identity *program)
{
	for (size_t i = 0; i < symbols->count; i++)
		symbols->files[i].found |=
		    build_id_equal(&symbols->files[i].identity.own, &program->own) ||
		    build_id_equal(&symbols->files[i].identity.own, &program->shared);
}

static bool all_found(const struct symbols *symbols)
{
	for (size_t i = 0; i < symbols->count; i++)
		if (!symbols->files[i].found)
			return false;
	return true;
}

/* A file of the trace, or one that the worker sees. */
static int open_program(const struct composition *composition, int trace, const char *name)
{
	static const int flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	const struct visible_paths *visible = &composition->visible;
	char real[PATH_MAX];

	if (name[0] != '/')
		return strchr(name, '/') ? -1 : openat(trace, name, flags);
	if (visible_paths_follow(NULL, name, false, real) < 0)
		return -1;
	if (visible_path_is_of_system(real))
		return open(real, flags);
	for (size_t i = 0; i < visible->counts[VISIBLE_READ]; i++)
		if (strcmp(visible->lists[VISIBLE_READ][i], real) == 0)
			return open(real, flags);
	return -1;
}

static void look_at(struct symbols *symbols, int trace, const char *name)
{
	cleanup_fd int fd = open_program(symbols->composition, trace, name);
	struct debug_identity identity;
	char magic[4];

	if (fd < 0 || pread(fd, magic, sizeof(magic), 0) != (ssize_t)sizeof(magic) ||
	    memcmp(magic, "\177ELF", sizeof(magic)) != 0)
		return;
	debug_identity_read(&identity, fd, symbols->policy);
	symbols->unsure |= identity.file == DEBUG_FILE_UNREAD;
	note_found(symbols, &identity);
}

/* Whether a name was there before; a list has one for each mapping. */
static bool is_repeated(const char *names, size_t at)
{
	for (size_t before = 0; before < at; before += strlen(names + before) + 1)
		if (strcmp(names + before, names + at) == 0)
			return true;
	return false;
}

/* The list, and whether it is all of it. */
static size_t list_programs(
    struct symbols *symbols, int trace, char names[RECORDED_FILES_BYTES_MAX])
{
	size_t length =
	    recorded_files_list(trace, symbols->policy, names, RECORDED_FILES_BYTES_MAX);
	struct stat status;

	symbols->unsure |= length == 0 || length > RECORDED_FILES_BYTES_MAX - PATH_MAX ||
			   symbols->composition->unfinished ||
			   fstatat(trace, "mmaps", &status, AT_SYMLINK_NOFOLLOW) < 0 ||
			   status.st_size > MMAPS_WHOLE_MAX;
	return length;
}

static void look_at_programs(struct symbols *symbols)
{
	const int64_t deadline = deadline_now() + OBJECTS_SECONDS * DEADLINE_SECOND;
	cleanup_fd int trace =
	    open(symbols->composition->trace, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	cleanup_free char *names = malloc(RECORDED_FILES_BYTES_MAX);
	size_t length = trace < 0 || !names ? 0 : list_programs(symbols, trace, names);

	symbols->unsure |= length == 0;
	for (size_t at = 0; at < length && !all_found(symbols); at += strlen(names + at) + 1) {
		if (deadline_now() > deadline) {
			symbols->unsure = true;
			return;
		}
		if (!is_repeated(names, at))
			look_at(symbols, trace, names + at);
	}
}

/* ---- What the worker sees ---------------------------------------------------------------------
 */

static int show(struct symbols *symbols, size_t index)
{
	const struct named *named = &symbols->files[index].named;
	struct visible_paths *visible = &symbols->composition->visible;
	char path[sizeof(SYMBOLS_DIRECTORY) + 1 + BUILD_ID_NAME_MAX], name[BUILD_ID_NAME_MAX];

	build_id_name(&symbols->files[index].identity.own, name);
	snprintf(path, sizeof(path), "%s/%s", SYMBOLS_DIRECTORY, name);
	if ((!visible_path_is_of_system(named->real) &&
		visible_paths_add(visible, VISIBLE_READ, named->real) < 0) ||
	    visible_paths_link(visible, path, named->real) < 0)
		return named_fail(named, errno, strerror(errno));
	log_audit_path(named->what, named->real, "granted");
	return 0;
}

/* Whether gdb finds the file to which dwz has moved a part of this one: among those that are named,
 * or where the system keeps them. */
static bool has_shared(const struct symbols *symbols, size_t index)
{
	const struct debug_identity *identity = &symbols->files[index].identity;
	char path[2 * PATH_MAX], name[BUILD_ID_NAME_MAX], real[PATH_MAX];

	for (size_t i = 0; i < symbols->count; i++)
		if (build_id_equal(&symbols->files[i].identity.own, &identity->shared))
			return true;
	build_id_name(&identity->shared, name);
	snprintf(path, sizeof(path), SYSTEM_DEBUG "%s", name);
	if (access(path, R_OK) == 0)
		return true;
	strlcpy(real, symbols->files[index].named.real, sizeof(real));
	strrchr(real, '/')[identity->shared_name[0] != '/'] = '\0';
	snprintf(path, sizeof(path), "%s%s", identity->shared_name[0] == '/' ? "" : real,
	    identity->shared_name);
	return visible_paths_follow(NULL, path, false, real) == 0 &&
	       visible_path_is_of_system(real) && access(real, R_OK) == 0;
}

/* Without that part, gdb takes nothing of the file. */
static int check_shared(const struct symbols *symbols, size_t index)
{
	if (symbols->files[index].identity.shared.length == 0 || has_shared(symbols, index))
		return 0;
	return named_fail(&symbols->files[index].named, EINVAL,
	    "dwz has moved a part of it to another file (readelf -p .gnu_debugaltlink shows its "
	    "name): name that in symbols too");
}

static int fail_unknown(const struct symbols *symbols, size_t index)
{
	return named_fail(&symbols->files[index].named, EINVAL,
	    "no program or library of this recording has its build id (readelf -n shows it): name "
	    "the debug file of the build that was recorded");
}

static int add_all(struct symbols *symbols, char *why, size_t why_size)
{
	struct composition *composition = symbols->composition;

	for (size_t i = 0; i < SYMBOLS_MAX; i++)
		if (take(symbols, composition->names[LAUNCH_SYMBOLS + i], why, why_size) < 0)
			return -1;
	if (symbols->count == 0)
		return 0;
	/* what dwz has taken out of one of them */
	for (size_t i = 0; i < symbols->count; i++)
		note_found(
		    symbols, &(struct debug_identity){.shared = symbols->files[i].identity.shared});
	for (size_t i = 0; i < symbols->count; i++)
		if (check_shared(symbols, i) < 0)
			return -1;
	look_at_programs(symbols);
	for (size_t i = 0; i < symbols->count; i++)
		if (!symbols->files[i].found && !symbols->unsure)
			return fail_unknown(symbols, i);
	for (size_t i = 0; i < symbols->count; i++)
		if (show(symbols, i) < 0)
			return -1;
	composition->symbols_unsure = !all_found(symbols);
	return 0;
}

int symbol_paths_add(struct composition *composition, const struct sandbox_policy *policy,
    char *why, size_t why_size)
{
	struct symbols *symbols;
	int result;

	if (!composition->trace[0])
		return 0; /* the worker says that there is none */
	symbols = calloc(1, sizeof(*symbols));
	if (!symbols) {
		snprintf(why, why_size, "out of memory");
		return -1;
	}
	symbols->composition = composition;
	symbols->policy = policy;
	result = add_all(symbols, why, why_size);
	free(symbols);
	return result;
}
