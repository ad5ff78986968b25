/*
 * See guard_heap.h. rr gives the program variables of its own with -v; in rr's environment the
 * library would be loaded into rr. The processes count in a file that they share, in the trace's
 * directory: how a program ends does not matter then.
 */
#include "worker/record/plan/guard_heap.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "worker/guardheap/layout.h"
#include "worker/record/plan/guarded_program.h"
#include "worker/trace/trace.h"

static const char *const modes[] = {[HEAP_KIND_USUAL] = NULL,
    [HEAP_KIND_GUARD] = "guard",
    [HEAP_KIND_GUARD_BEFORE] = "guard_before"};

/* Beside our own program. */
static bool find_library(char path[TRACE_PATH_MAX])
{
	ssize_t length = readlink("/proc/self/exe", path, TRACE_PATH_MAX - 1);
	char *slash;

	if (length <= 0 || length >= TRACE_PATH_MAX - 1)
		return false;
	path[length] = '\0';
	slash = strrchr(path, '/');
	if (!slash || slash + 1 + sizeof(GUARDHEAP_FILE) > path + TRACE_PATH_MAX)
		return false;
	memcpy(slash + 1, GUARDHEAP_FILE, sizeof(GUARDHEAP_FILE));
	return access(path, R_OK) == 0;
}

/* What a variable of the loader would have been anyway. */
static const char *given(const json_t *env, const char *variable)
{
	const char *theirs = json_string_value(json_object_get(env, variable));

	if (!theirs)
		theirs = getenv(variable);
	return theirs ? theirs : "";
}

/* The loader takes a space in LD_PRELOAD for the end of a name, but not in LD_LIBRARY_PATH, where
 * it searches for a name without a slash. */
static bool preload(struct guard_heap *heap, const json_t *env, char *library)
{
	const char *theirs = given(env, "LD_PRELOAD");
	const char *searched = given(env, "LD_LIBRARY_PATH");
	char *slash = strrchr(library, '/');

	if (strchr(library, ' ')) {
		*slash = '\0';
		if (asprintf(&heap->search, "LD_LIBRARY_PATH=%s%s%s", library, *searched ? ":" : "",
			searched) < 0)
			return false;
		library = slash + 1;
	}
	return asprintf(&heap->preload, "LD_PRELOAD=%s%s%s", library, *theirs ? ":" : "", theirs) >=
	       0;
}

static bool set_variables(
    struct guard_heap *heap, long long limit, const json_t *env, char *library)
{
	return preload(heap, env, library) &&
	       (limit == 0 ||
		   asprintf(&heap->limit, GUARDHEAP_LIMIT_VARIABLE "=%lld", limit) >= 0) &&
	       asprintf(&heap->mode, GUARDHEAP_MODE_VARIABLE "=%s", modes[heap->kind]) >= 0;
}

bool guard_heap_plan(struct guard_heap *heap, enum heap_kind kind, long long limit,
    const json_t *env, const char *file, const char *program, struct failure *failure)
{
	char library[TRACE_PATH_MAX];

	heap->kind = kind;
	if (kind == HEAP_KIND_USUAL && !limit)
		return true;
	if (kind == HEAP_KIND_USUAL) {
		failure_set(failure, ERROR_INVALID_ARGUMENT, "give heap, too",
		    "heap_limit is of the guard heap, and heap is usual");
		return false;
	}
	if (!guarded_program_check(file, program, failure))
		return false;
	if (!find_library(library)) {
		failure_set(failure, ERROR_UNSUPPORTED, "install all of rr-warden",
		    "the guard heap's library is not there: " GUARDHEAP_FILE);
		return false;
	}
	if (strpbrk(library, ":;")) {
		failure_set(failure, ERROR_UNSUPPORTED,
		    "install rr-warden below a path without colons and semicolons",
		    "the loader cannot preload the guard heap from %.300s", library);
		return false;
	}
	if (set_variables(heap, limit, env, library))
		return true;
	return failure_no_memory(failure);
}

void guard_heap_argv(const struct guard_heap *heap, const char **argv, size_t *count)
{
	const char *const words[] = {heap->search, heap->preload, heap->limit, heap->mode, ""};

	for (size_t i = 0; heap->kind != HEAP_KIND_USUAL && i < sizeof(words) / sizeof(*words);
	     i++) {
		if (!words[i])
			continue;
		argv[(*count)++] = "-v";
		argv[(*count)++] = words[i];
	}
}

bool guard_heap_place_count(struct guard_heap *heap, const char **argv, const char *trace)
{
	size_t i = 0;
	char *placed;

	if (heap->kind == HEAP_KIND_USUAL)
		return true;
	if (asprintf(&placed, GUARDHEAP_COUNT_VARIABLE "=%s/" TRACE_GUARDHEAP_FILE, trace) < 0)
		return false;
	while (argv[i] != heap->mode)
		i++;
	argv[i + 2] = placed;
	free(heap->count);
	heap->count = placed;
	return true;
}

static bool read_count(int trace, struct guardheap_count *count)
{
	cleanup_fd int fd =
	    openat(trace, TRACE_GUARDHEAP_FILE, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);

	return fd >= 0 && pread(fd, count, sizeof(*count), 0) == (ssize_t)sizeof(*count) &&
	       count->magic == GUARDHEAP_MAGIC;
}

static json_t *number(uint64_t count)
{
	return json_integer((json_int_t)(count & INT64_MAX));
}

/* What did not go as the caller thinks; NULL: nothing. */
static char *note_of(const struct guardheap_count *count, bool limited)
{
	char *note = NULL;

	if (count->others &&
	    asprintf(&note,
		"The guard heap was not called in %llu of %llu processes, which "
		"have an allocator of their own.",
		(unsigned long long)count->others, (unsigned long long)count->processes) < 0)
		return NULL;
	if (!count->others && count->unguarded &&
	    asprintf(&note,
		"%llu of %llu blocks were not guarded, because %s: accesses outside of these do "
		"not stop the program.",
		(unsigned long long)count->unguarded, (unsigned long long)count->blocks,
		limited ? "heap_limit allows no more at a time"
			: "a process may have only so many mappings (vm.max_map_count)") < 0)
		return NULL;
	return note;
}

json_t *guard_heap_tell(const struct guard_heap *heap, int trace, char **note)
{
	struct guardheap_count count = {0};
	json_t *told;

	*note = NULL;
	if (heap->kind == HEAP_KIND_USUAL)
		return NULL;
	told = json_pack("{s:s}", "mode", modes[heap->kind]);
	if (!read_count(trace, &count)) {
		*note = strdup("The guard heap was not loaded: the program is static, has other "
			       "rights than its files, or drops LD_PRELOAD from its environment.");
		json_object_set_new(told, "loaded", json_false());
		return told;
	}
	json_object_set_new(told, "blocks", number(count.blocks));
	json_object_set_new(told, "unguarded", number(count.unguarded));
	if (count.reused)
		json_object_set_new(told, "reused", number(count.reused));
	json_object_set_new(told, "processes", number(count.processes));
	*note = note_of(&count, heap->limit != NULL);
	return told;
}

void guard_heap_free(struct guard_heap *heap)
{
	free(heap->search);
	free(heap->preload);
	free(heap->limit);
	free(heap->mode);
	free(heap->count);
	heap->search = heap->preload = heap->limit = heap->mode = heap->count = NULL;
}
