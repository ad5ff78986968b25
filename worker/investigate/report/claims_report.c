/*
 * rr_report: checks claims, makes a page of them, and sends the page to the broker, which writes it
 * into the trace's directory. Neither the agent nor this worker chooses the file or opens it.
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include "sandbox/cleanup.h"
#include "sandbox/wire/broker.h"
#include "worker/gdb/mi/mi.h"
#include "worker/investigate/report/claims.h"
#include "worker/investigate/report/claims_page.h"
#include "worker/serve/handlers.h"
#include "worker/moment/excursion.h"
#include "worker/moment/visit.h"
#include "worker/session/images.h"
#include "worker/trace/trace.h"
#include "worker/serve/sentence.h"

/* The bytes that fit into one request, without cutting a character. */
static size_t part_of(const char *text)
{
	size_t length = strnlen(text, PATH_MAX - 1);

	while (text[length] && ((unsigned char)text[length] & 0xc0) == 0x80)
		length--;
	return length;
}

/* Sends the page to the broker. Returns false with *failure filled. */
static bool keep(const char *text, struct broker_reply *reply, struct failure *failure)
{
	char part[PATH_MAX];
	int result = 0;

	for (size_t length; result >= 0 && *text; text += length) {
		length = part_of(text);
		memcpy(part, text, length);
		part[length] = '\0';
		result = broker_ask(WORKER_BROKER_FD, BROKER_REPORT_PART, part, reply);
	}
	if (result >= 0)
		result = broker_ask(WORKER_BROKER_FD, BROKER_REPORT, NULL, reply);
	if (result >= 0)
		return true;
	failure_set(failure, errno == EFBIG || errno == EMLINK ? ERROR_LIMIT : ERROR_NOT_ALLOWED,
	    errno == EFBIG    ? "make fewer claims, or make two reports"
	    : errno == EMLINK ? "remove reports from the trace's directory"
			      : "reports are kept in the trace's directory, which has to be "
				"writable",
	    "the report cannot be kept: %s", reply->why);
	return false;
}

/* The claims that did not hold. Leaves out what the agent knows already. */
static json_t *others(const json_t *claims)
{
	static const char *const kept[] = {"expression", "verdict", "where", "found", "error"};
	json_t *list = json_array(), *claim;
	size_t i;

	json_array_foreach((json_t *)claims, i, claim)
	{
		if (claims_has_held(claim))
			continue;
		json_t *other = json_pack("{s:I}", "claim", (json_int_t)i + 1);
		for (size_t k = 0; k < sizeof(kept) / sizeof(*kept); k++)
			json_object_set(other, kept[k], json_object_get(claim, kept[k]));
		json_array_append_new(list, other);
	}
	return list;
}

static json_t *answer(const json_t *claims, const char *file)
{
	json_auto_t *conclusion = claims_conclusion(claims);
	json_t *json = json_pack("{s:o,s:o}", "conclusion",
	    json_sprintf("%s; the report is written", json_string_value(conclusion)), "file",
	    trace_path_to_json(file));

	answer_add_list(json, "not_held", others(claims));
	return json;
}

json_t *tool_report(struct replay *replay, const struct report_args *args, struct failure *failure)
{
	static struct broker_reply reply;
	cleanup_free char *text = NULL, *program = NULL;
	const long long pid = replay_pid(replay);
	char here[PATH_MAX];
	json_t *claims, *json = NULL;

	if (!claims_are_sound(args->claims, failure))
		return NULL;
	/* The claims may lead to other programs and processes. */
	program = strdup(images_program(replay));
	cleanup_excursion struct excursion excursion = excursion_begin(replay);
	claims = claims_check(replay, args->claims, true, failure);
	if (claims) {
		text = claims_page_text(&(struct claims_page){.title = args->title,
		    .narrative = args->narrative,
		    .program = program ? program : "",
		    .directory = getcwd(here, sizeof(here)) ? here : "",
		    .recording = replay_trace_dir(replay),
		    .pid = pid,
		    .last_event = images_last_event(replay),
		    .claims = claims});
		if (!text)
			failure_no_memory(failure);
		else if (keep(text, &reply, failure))
			json = answer(claims, reply.path);
		if (json)
			worker_page(replay_worker(replay), text);
	}
	json_decref(claims);
	visit_end(replay);
	return excursion_answer(&excursion, json, failure);
}
