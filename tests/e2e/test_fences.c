/*
 * What Debian's electric-fence and duma stop, the guard heap stops as well: each wrong use of
 * tests/programs/guarded, natively with each of the three, at -O0 and -O2.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/e2e/scene.h"
#include "worker/guardheap/layout.h"

static const char *const bugs[] = {"overflow", "overflow_loop", "over_read", "over_read_word",
    "odd_size", "odd_by_one", "odd_never_freed", "large", "underflow", "under_read",
    "use_after_free", "write_after_free", "after_realloc", "double_free", "free_middle",
    "free_stack", "realloc_freed", "over_calloc", "over_aligned", "over_nothing", "in_thread",
    "in_library"};

/* The two ways of each: pages behind blocks, and before them. The first ones are ours. */
static const struct fence {
	const char *library, *variables[2];
} fences[] = {
    {GUARDHEAP_FILE, {GUARDHEAP_MODE_VARIABLE "=guard", GUARDHEAP_MODE_VARIABLE "=guard_before"}},
    {"/usr/lib/libefence.so.0", {"EF_PROTECT_FREE=1", "EF_PROTECT_FREE=1 EF_PROTECT_BELOW=1"}},
    {"/usr/lib/libduma.so.0", {"", "DUMA_PROTECT_BELOW=1"}},
};

/* A link, because LD_PRELOAD takes a blank in a path for its end. */
static char *library_of(const struct fence *fence, const char *links)
{
	const char *built = harness_server(), *folder = strstr(built, "/bin/");
	cleanup_free char *file = NULL;
	char *path = harness_path(links, GUARDHEAP_FILE);

	if (fence->library[0] == '/') {
		free(path);
		return strdup(fence->library);
	}
	ck_assert_ptr_nonnull(folder);
	ck_assert_int_gt(asprintf(&file, "%.*s/libexec/rr-warden/%s", (int)(folder - built), built,
			     fence->library),
	    0);
	ck_assert(symlink(file, path) == 0 || errno == EEXIST);
	return path;
}

/* Whether a signal ended the program there. */
static bool stops(
    const struct fence *fence, const char *links, int way, const char *program, const char *bug)
{
	cleanup_free char *library = library_of(fence, links), *command = NULL;
	int status;

	ck_assert_int_gt(asprintf(&command,
			     "exec timeout 20 env LD_PRELOAD='%s' EF_DISABLE_BANNER=1 "
			     "DUMA_DISABLE_BANNER=1 %s '%s' %s >/dev/null 2>&1",
			     library, fence->variables[way], program, bug),
	    0);
	status = system(command);
	ck_assert(WIFSIGNALED(status) || WEXITSTATUS(status) == 0);
	return WIFSIGNALED(status); /* timeout ends as the program did */
}

START_TEST(each_bug_that_another_fence_stops_is_stopped)
{
	static const char *const builds[] = {"guarded", "guarded_O2"};
	cleanup_free char *program = harness_program(builds[_i]);
	cleanup_scratch char *links = harness_scratch(0);
	int theirs = 0;

	for (size_t bug = 0; bug < sizeof(bugs) / sizeof(*bugs); bug++)
		for (int way = 0; way < 2; way++) {
			bool ours = stops(&fences[0], links, way, program, bugs[bug]);

			for (size_t i = 1; i < sizeof(fences) / sizeof(*fences); i++) {
				bool stopped = stops(&fences[i], links, way, program, bugs[bug]);

				theirs += stopped;
				ck_assert_msg(ours || !stopped, "%s, way %d: %s stops it",
				    bugs[bug], way, fences[i].library);
			}
		}
	/* They were there, and do find most. */
	ck_assert_int_gt(theirs, 44);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {each_bug_that_another_fence_stops_is_stopped, 2}, {NULL, 0}};

	return scene_main_loops("fences", tests, (const char *const[]){NULL});
}
