/*
 * rr_check_memory {alloc, free} judges the memory of a program's own allocators by the blocks that
 * they give, wherever it lies, and finds nothing in what is right.
 */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/findings.h"
#include "tests/e2e/scene.h"

#define PLAIN	  "pools"
#define OPTIMIZED "pools_O2"
#define RIGHT	  "pools -1"
#define CLASSES	  "pools_cc"
#define WRAPPED	  "wrapped_malloc"
#define INLINED	  "inlined_pool_O2"
#define BARE	  "pools_bare"

#define ALLOC "pool_take:2", "pool_resize:3", "node_new=48", "arena_take:2"
#define FREE  "pool_put:2", "pool_resize:2", "node_free", "arena_reset:all", "nodes_reset:all"

#define CLASS_ALLOC "Pool::take", "Slab::get=24", "Point::operator new"
#define CLASS_FREE  "Pool::give", "Slab::put", "Point::operator delete"

static json_t *names(const char *const *list)
{
	json_t *array = json_array();

	for (; *list; list++)
		json_array_append_new(array, json_string(*list));
	return array;
}

#define NAMES(...) names((const char *const[]){__VA_ARGS__, NULL})

/* Takes both lists. */
static json_t *check_with(struct client *client, json_t *alloc, json_t *freeing)
{
	return client_tool(client, "rr_check_memory", "{s:i, s:o, s:o}", "limit", 100, "alloc",
	    alloc, "free", freeing);
}

static json_t *check_all(struct scene *scene)
{
	return check_with(scene->client, NAMES(ALLOC), NAMES(FREE));
}

static const struct finding_row plain[] = {
    {"write of 1 byte", "write_behind", "write_behind (", NULL},
    {"byte 40 of a block of 32 bytes of pool_take", "read_header", "read_header (", NULL},
    {"byte 50 of a freed block of 100 bytes", "use_freed", "use_freed (", "use_freed ("},
    {"freed already (double free)", "free_twice", "free_twice (", "free_twice ("},
    {"no block of its allocator: byte 64 of a", "free_inside", "free_inside (", NULL},
    {"no block of its allocator: byte 32 of a block of 400 bytes", "free_foreign", "free_foreign (",
	NULL},
    {"no block of its allocator: byte 0 of a block of 400 bytes", "free_foreign", "free_foreign (",
	NULL},
    {"byte 8 of a freed block of 500 bytes of pool_take", "write_old", "write_old (",
	"pool_resize (tests/programs/pools.c"},
    {"pool_resize of 0x", "resize_freed", "resize_freed (", "resize_freed ("},
    {"byte 48 of a block of 48 bytes of node_new", "write_behind_node", "write_behind_node", NULL},
    {"byte 16 of a freed block of 48 bytes of node_new", "use_freed_node", "node_new (",
	"node_free ("},
    {"byte 20 of a block of 20 bytes of arena_take", "write_behind_mapped", "write_behind_m", NULL},
    {"byte 31 of a block of 30 bytes of arena_take", "write_on_stack", "write_on_stack (", NULL},
    {"byte 59 of a freed block of 60 bytes of arena_take", "use_reset", "use_reset (",
	"use_reset ("},
    {"byte 24 of a freed block of 48 bytes of node_new", "use_reset_nodes", "use_reset_nodes (",
	"use_reset_nodes ("},
    {"byte 704 of a block of 700 bytes of pool_take", "in_thread", "in_thread (", NULL},
    {"byte 40 of a block of 40 bytes", "write_behind_full", "write_behind_full (", NULL},
    {"byte 0 of a freed block of 50 bytes", "use_closed", "use_closed (", "pool_close ("},
};

START_TEST(each_wrong_use_of_a_pool_is_found_once)
{
	static const char *const builds[] = {PLAIN, OPTIMIZED};

	for (size_t i = 0; i < 2; i++) {
		cleanup_scene struct scene scene = scene_open(builds[i], NULL);

		expect_finding_rows(check_all(&scene), plain, sizeof(plain) / sizeof(*plain));
	}
}
END_TEST

START_TEST(what_is_right_is_no_finding)
{
	static const char *const builds[] = {RIGHT, (OPTIMIZED " -1")};

	for (size_t i = 0; i < 2; i++) {
		cleanup_scene struct scene scene = scene_open(builds[i], NULL);

		expect_all(check_all(&scene), ABSENT("findings"), ABSENT("cut_off"),
		    HAS("conclusion", "nothing touched heap memory outside"),
		    HAS("checked", " of pool_take, pool_resize, node_new, arena_take, pool_put, "
				   "node_free, arena_reset, nodes_reset. Not checked: "));
		expect_alive(scene.client, scene.session);
	}
}
END_TEST

/* malloc sees one block, in which all of that is right, but for what the pool itself reads. */
START_TEST(without_the_names_a_pool_is_one_block)
{
	static const struct finding_row rows[] = {
	    {"read of 4 bytes", "pool_put", "", NULL},
	    {"of a freed block of 4112 bytes", "use_closed", "pool_take (", "pool_close ("},
	};
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_finding_rows(client_tool(scene.client, "rr_check_memory", NULL), rows, 2);
}
END_TEST

static const struct finding_row classes[] = {
    {"byte 40 of a block of 40 bytes of Pool::take", "write_behind_member", "write_behind", NULL},
    {"byte 0 of a freed block of 24 bytes of Point::operator new", "use_deleted", "use_deleted",
	"use_deleted"},
    {"byte 8 of a freed block of 24 bytes of Slab::get", "use_slot_again", "use_slot_again",
	"use_slot_again"},
    {"Slab::put of 0x", "put_twice", "put_twice", "put_twice"},
    {"byte 24 of a block of 24 bytes", "write_behind_thrown", "write_behind_thrown", NULL},
};

START_TEST(members_and_templates_are_allocators_too)
{
	static const char *const builds[] = {CLASSES, (CLASSES "_O2")};

	for (size_t i = 0; i < 2; i++) {
		cleanup_scene struct scene scene = scene_open(builds[i], NULL);

		expect_finding_rows(check_with(scene.client, NAMES(CLASS_ALLOC), NAMES(CLASS_FREE)),
		    classes, sizeof(classes) / sizeof(*classes));
	}
}
END_TEST

START_TEST(members_that_are_used_rightly_are_no_finding)
{
	static const char *const builds[] = {(CLASSES " -1"), (CLASSES "_O2 -1")};

	for (size_t i = 0; i < 2; i++) {
		cleanup_scene struct scene scene = scene_open(builds[i], NULL);

		expect_all(check_with(scene.client, NAMES(CLASS_ALLOC), NAMES(CLASS_FREE)),
		    ABSENT("findings"), HAS("checked", " of Pool::take, Slab::get, "));
	}
}
END_TEST

/* They are told as the wrapper's: where it was called says more. */
START_TEST(a_wrapper_of_malloc_is_judged_as_malloc_is)
{
	static const struct finding_row rows[] = {
	    {"byte 20 of a block of 20 bytes of xmalloc", "write_behind", "write_behind (", NULL},
	    {"xfree of 0x", "free_twice", "free_twice (", "free_twice ("},
	};
	cleanup_scene struct scene scene = scene_open(WRAPPED, NULL);

	expect_finding_rows(check_with(scene.client, NAMES("xmalloc"), NAMES("xfree")), rows, 2);
}
END_TEST

/* The types of arguments are not known then, but the registers are. On the stack, no variable is
 * known: there it might be another one's byte. */
START_TEST(functions_without_debug_information_are_followed)
{
	cleanup_scene struct scene scene = scene_open(BARE, NULL);
	json_auto_t *answer = check_all(&scene);

	expect_findings(answer, 16);
	expect_within(answer, "findings.0.what", "byte 24 of a block of 24 bytes of pool_take");
	expect_within(
	    answer, "findings.10.what", "byte 16 of a freed block of 48 bytes of node_new");
}
END_TEST

static void expect_refused(struct scene *scene, const char *code, json_t *alloc, json_t *freeing,
    const char *message, const char *hint)
{
	json_auto_t *error = client_tool_fails(
	    scene->client, "rr_check_memory", code, "{s:o, s:o}", "alloc", alloc, "free", freeing);

	expect_within(error, "message", message);
	expect_within(error, "hint", hint);
}

START_TEST(names_that_are_wrong_are_refused)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_refused(&scene, "not_found", NAMES("pool_tak:2"), NAMES("pool_put:2"),
	    "no function pool_tak", "pool_take");
	expect_refused(&scene, "not_found", NAMES("pool_take:2"), NAMES("pool_putt:2"),
	    "no function pool_putt", "pool_put");
	expect_refused(&scene, "unsupported", NAMES("pool_take:3"), NAMES("pool_put:2"),
	    "it has 2 arguments", "name a function around it");
	expect_refused(&scene, "invalid_argument", NAMES("malloc"), json_array(),
	    "malloc is followed in any case", "leave it out");
	expect_refused(&scene, "invalid_argument", json_array(), NAMES("pool_put:2"),
	    "alloc names none", "name the functions");
	expect_refused(
	    &scene, "invalid_argument", NAMES("pool_take:"), json_array(), "no function", "NAME:N");
	expect_alive(scene.client, scene.session);
}
END_TEST

START_TEST(leaks_and_uninitialised_do_without_names)
{
	static const char *const others[] = {"leaks", "uninitialised"};
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	for (size_t i = 0; i < 2; i++) {
		json_auto_t *error = client_tool_fails(scene.client, "rr_check_memory",
		    "invalid_argument", "{s:b, s:o}", others[i], 1, "alloc", NAMES("pool_take:2"));

		expect_within(error, "message", "know malloc's blocks only");
	}
}
END_TEST

START_TEST(a_function_that_is_inlined_is_refused)
{
	cleanup_scene struct scene scene = scene_open(INLINED, NULL);

	expect_refused(&scene, "unsupported", NAMES("always_inlined"), json_array(),
	    "always_inlined is inlined into main", "-fno-inline");
	expect_refused(&scene, "unsupported", NAMES("moved:2"), json_array(),
	    "has changed how its arguments are passed", "NAME=BYTES");
}
END_TEST

START_TEST(a_check_changes_nothing)
{
	cleanup_scene struct scene scene = scene_open(PLAIN, NULL);

	expect_same_end(&scene, check_all);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {each_wrong_use_of_a_pool_is_found_once,
	    what_is_right_is_no_finding, without_the_names_a_pool_is_one_block,
	    members_and_templates_are_allocators_too, members_that_are_used_rightly_are_no_finding,
	    a_wrapper_of_malloc_is_judged_as_malloc_is,
	    functions_without_debug_information_are_followed, names_that_are_wrong_are_refused,
	    leaks_and_uninitialised_do_without_names, a_function_that_is_inlined_is_refused,
	    a_check_changes_nothing, NULL};

	return scene_main("pools", tests,
	    (const char *const[]){PLAIN, OPTIMIZED, RIGHT, (OPTIMIZED " -1"), CLASSES,
		(CLASSES "_O2"), (CLASSES " -1"), (CLASSES "_O2 -1"), WRAPPED, INLINED, BARE,
		NULL});
}
