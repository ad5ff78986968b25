/*
 * The plugin's skills as the server shows them: complete, and with the digest that hosts check.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/e2e/scene.h"

#define META                                                                                       \
	"_meta", "io.modelcontextprotocol/protocolVersion", "2026-07-28",                          \
	    "io.modelcontextprotocol/clientCapabilities"

static json_t *ask(struct client *client, const char *method, json_t *params)
{
	json_t *answer =
	    client_wait(client, client_send(client, method, params), HARNESS_TIMEOUT_S);
	ck_assert_ptr_nonnull(json_object_get(answer, "result"));
	return answer;
}

/* The digest of a text, from sha256sum, in the form that skills use. */
static void digest_of(const char *text, char *digest, size_t size)
{
	cleanup_scratch char *folder = harness_scratch(0);
	cleanup_free char *file = harness_path(folder, "SKILL.md");
	char command[4096];
	harness_write_file(file, text);
	snprintf(command, sizeof(command), "sha256sum < '%s'", file);
	FILE *sum = popen(command, "r");
	char hex[65] = "";
	ck_assert_int_eq(fscanf(sum, "%64s", hex), 1);
	ck_assert_int_eq(pclose(sum), 0);
	snprintf(digest, size, "sha256:%s", hex);
}

START_TEST(every_skill_can_be_read_and_is_what_its_digest_says)
{
	cleanup_client struct client *client = client_start(&(struct client_options){.raw = true});
	json_auto_t *list = ask(client, "skills/list", json_pack("{s:{s:s, s:{}}}", META));
	ck_assert_uint_eq(answer_count(list, "result.skills"), 6);
	json_t *skill;
	size_t i;
	json_array_foreach(answer_at(list, "result.skills"), i, skill)
	{
		json_auto_t *read = ask(client, "resources/read",
		    json_pack("{s:s, s:{s:s, s:{}}}", "uri", answer_text(skill, "uri"), META));
		const char *text = answer_text(read, "result.contents.0.text");
		char digest[80], beginning[128];
		digest_of(text, digest, sizeof(digest));
		expect_text(skill, "resources.0.digest", digest);
		expect_number(skill, "resources.0.size", (long long)strlen(text));
		snprintf(beginning, sizeof(beginning),
		    "---\nname: %s\ndescription: ", answer_text(skill, "frontmatter.name"));
		ck_assert_int_eq(strncmp(text, beginning, strlen(beginning)), 0);
	}
}
END_TEST

/* Claude Code cuts instructions at 2 KB. */
START_TEST(the_instructions_fit_and_name_the_skills)
{
	cleanup_client struct client *client = client_start(NULL);
	const char *text = answer_text(client_server_info(client), "instructions");
	ck_assert_uint_le(strlen(text), 2048);
	ck_assert_ptr_nonnull(strstr(text, "skill://debug-crash/SKILL.md"));
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {every_skill_can_be_read_and_is_what_its_digest_says,
	    the_instructions_fit_and_name_the_skills, NULL};
	return scene_main("skills", tests, (const char *const[]){NULL});
}
