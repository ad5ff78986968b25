/*
 * What containers and pointers of C++ (with both libraries), Rust, Go and GLib hold, as a person
 * would write it, and their members in expressions. The programs are
 * tests/programs/languages/held.*.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include "tests/e2e/scene.h"

struct value {
	const char *name, *shown;
};

struct program {
	const char *name, *source, *compiler;
	struct value locals[20], expressions[16];
};

static const struct program programs[] = {
    {"held_cc", "languages/held.cc", "c++",
	{{"brief", "\"ink\""}, {"view", "\"hello\""}, {"row", "{1, 2, 3, 4}"},
	    {"list", "{[0] = 7, [1] = 8}"}, {"map", "{[\"one\"] = 1, [\"two\"] = 2}"},
	    {"hashed", "{[3] = \"third\"}"}, {"given", "\"set\""}, {"either", "\"inside\""},
	    {"mixed", "{[0] = 1, [1] = \"two\", [2] = 3.5}"}, {"owned", "0x"}},
	{{"row[2]", "3"}, {"row.size()", "4"}, {"map[\"two\"]", "2"}, {"owned->count", "2"},
	    {"*given", "\"set\""}, {"ample[2]", "116 't'"}, {"queue[1]", "2"},
	    {"shared->name", "\"ink\""}, {"std::get<1>(mixed)", "\"two\""},
	    {"std::get<2>(mixed)", "3.5"}}},
    {"held_cc_libcxx", "languages/held.cc", "clang++ with libc++",
	{{"brief", "\"ink\""}, {"ample", "\"a text that is longer than fifteen characters\""},
	    {"view", "\"hello\""}, {"row", "std::vector of 4 = {1, 2, 3, 4}"},
	    {"flags", "{true, false, true}"}, {"list", "std::list of 2 = {7, 8}"},
	    {"queue", "std::deque of 3 = {1, 2, 3}"}, {"set", "std::set of 2 = {\"p\", \"q\"}"},
	    {"map", "std::map of 2 = {[\"one\"] = 1, [\"two\"] = 2}"},
	    {"hashed", "std::unordered_map of 1 = {[3] = \"third\"}"},
	    {"given", "std::optional = {value = \"set\"}"}, {"empty", "std::optional, empty"},
	    {"either", "std::variant = {[1] = \"inside\"}"},
	    {"mixed", "std::tuple = {[0] = 1, [1] = \"two\", [2] = 3.5}"}, {"owned", "0x"},
	    {"shared", "std::shared_ptr (use count 1) = {get() = 0x"}},
	{{"row[2]", "3"}, {"row.size()", "4"}, {"row.back()", "4"}, {"map[\"two\"]", "2"},
	    {"set.size()", "2"}, {"owned->count", "2"}, {"(*shared).count", "1"},
	    {"*given", "\"set\""}, {"ample[2]", "116 't'"}, {"brief.size()", "3"},
	    {"queue[1]", "2"}, {"shared->name", "\"ink\""}, {"hashed[3]", "\"third\""},
	    {"std::get<1>(mixed)", "\"two\""}, {"brief == \"ink\"", "true"},
	    {"ample == \"ink\"", "false"}}},
    {"held_rs", "languages/held.rs", "rustc",
	{{"ages", "HashMap of 1 = {[\"ann\"] = 31}"}, {"order", "BTreeMap of 15 = {[0] = \"v0\""},
	    {"order", "[14] = \"v14\"}"}, {"seen", "HashSet of 1 = {7}"},
	    {"queue", "VecDeque of 3 = {2, 3, 4}"},
	    {"shared", "Arc (strong 2, weak 0) = {value = Mutex = {value = 5}}"},
	    {"cell", "Rc (strong 1, weak 0) = {value = RefCell = {value = Vec of 2 = {1, 2}}}"},
	    {"shape", "Square {side: 3}"}, {"some", "Some(\"x\")"}, {"none", "None"}},
	{{"order.length", "15"}}},
    {"held_go", "languages/held.go", "go",
	{{"ages", "map of 1 = {[\"ann\"] = 31}"}, {"named", "map of 1 = {[\"bob\"] = 40}"},
	    {"many", "map of 20 = {"}, {"many", "[19] = 361"}, {"many", "[0] = 0"},
	    {"huge", "map of 48 = {"}, {"huge", "[7050] = 14100"}, {"huge", "[0] = 0"},
	    {"wide", "map of 1 = {[{Number = 7, Rest = "}, {"wide", "] = {Number = 8, Rest = "},
	    {"far_keys", "map of 1 = {[0xc"}, {"far_keys", "] = \"nine\"}"}, {"none", "map of 0"},
	    {"empty", "map of 0"}, {"any", "main.Circle = {value = {Radius = 2, Label = \"c\"}}"},
	    {"far", "*main.Circle = {value = {Radius = 3, Label = \"p\"}}"}, {"nothing", "nil"},
	    {"err", "*errors.errorString = {value = {s = \"none yet\"}}"}},
	{{"ages", "map of 1 = {[\"ann\"] = 31}"}}},
    {"held_glib", "languages/held_glib.c", "libglib2.0-dev",
	{{"numbers", "= {0x7, 0x8, 0x9}"}, {"single", "= {0x5, 0x6}"}, {"tail", "= {0x8, 0x9}"},
	    {"empty", "0x0"}},
	{{"numbers", "= {0x7, 0x8, 0x9}"}, {"single", "= {0x5, 0x6}"}, {"single->data", "0x5"},
	    {"*single", "{data = 0x5, next = 0x"}, {"numbers->next", "= {0x8, 0x9}"},
	    {"empty", "0x0"}}},
};

static const struct program *built[TIMES(programs)];
static int built_count;

static void scene_at_look(struct scene *scene, const struct program *program)
{
	char line[64];

	snprintf(line, sizeof(line), "%s:%lld", strrchr(program->source, '/') + 1,
	    harness_line(program->source, "look"));
	*scene = scene_open(program->name, NULL);
	scene_run_to(scene, line);
}

static const char *local(const json_t *locals, const char *name)
{
	json_t *variable;
	size_t i;

	json_array_foreach(json_object_get(locals, "variables"), i, variable)
	{
		const char *own = json_string_value(json_object_get(variable, "name"));
		if (own && strcmp(own, name) == 0)
			return json_string_value(json_object_get(variable, "value"));
	}
	return "(there is none)";
}

START_TEST(containers_show_what_they_hold)
{
	const struct program *program = built[_i];
	cleanup_scene struct scene scene = {0};

	scene_at_look(&scene, program);
	json_auto_t *locals = client_tool(scene.client, "rr_locals", NULL);
	for (int i = 0; i < TIMES(program->locals) && program->locals[i].name; i++) {
		const struct value *wanted = &program->locals[i];
		const char *shown = local(locals, wanted->name);
		ck_assert_msg(strstr(shown, wanted->shown) != NULL, "%s: no %s in %s", wanted->name,
		    wanted->shown, shown);
	}
}
END_TEST

START_TEST(expressions_use_them_as_the_program_does)
{
	const struct program *program = built[_i];
	cleanup_scene struct scene scene = {0};

	scene_at_look(&scene, program);
	for (int i = 0; i < TIMES(program->expressions) && program->expressions[i].name; i++) {
		const struct value *wanted = &program->expressions[i];
		json_auto_t *value =
		    client_tool(scene.client, "rr_evaluate", "{s:s}", "expression", wanted->name);
		expect_within(value, "value", wanted->shown);
	}
}
END_TEST

/* Several places of a map's directory can have one table. */
START_TEST(a_map_shows_each_entry_once)
{
	const struct program *program = built[_i];

	if (strcmp(program->name, "held_go") != 0)
		return;
	cleanup_scene struct scene scene = {0};
	scene_at_look(&scene, program);
	json_auto_t *locals = client_tool(scene.client, "rr_locals", NULL);
	ck_assert_uint_eq(harness_count(local(locals, "huge"), "] = "), 48);
}
END_TEST

START_TEST(a_pointer_to_a_base_expands_to_the_object)
{
	const struct program *program = built[_i];

	if (strncmp(program->name, "held_cc", 7) != 0)
		return;
	cleanup_scene struct scene scene = {0};
	scene_at_look(&scene, program);
	json_auto_t *parts = client_tool(scene.client, "rr_expand", "{s:s}", "expression", "base");
	cleanup_free char *all = json_dumps(parts, 0);
	expect_text(parts, "type", "square");
	ck_assert_msg(strstr(all, "side") && strstr(all, "3"), "%s", all);
}
END_TEST

int main(void)
{
	static const char *names[TIMES(programs) + 1];
	const char *folder = getenv("PROGRAMS");
	char path[512];

	for (int i = 0; i < TIMES(programs); i++) {
		snprintf(path, sizeof(path), "%s/%s", folder ? folder : "build/tests/programs",
		    programs[i].name);
		if (access(path, X_OK) != 0) {
			printf("skipped: what containers hold in %s: there is no %s (make deps "
			       "FOR=languages)\n",
			    programs[i].source, programs[i].compiler);
			continue;
		}
		names[built_count] = programs[i].name;
		built[built_count++] = &programs[i];
	}
	const struct looped tests[] = {
	    {containers_show_what_they_hold, built_count},
	    {expressions_use_them_as_the_program_does, built_count},
	    {a_map_shows_each_entry_once, built_count},
	    {a_pointer_to_a_base_expands_to_the_object, built_count},
	    {NULL, 0},
	};
	return scene_main_loops("held", tests, names);
}
