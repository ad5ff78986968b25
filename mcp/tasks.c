/*
 * Tasks: made of requests that are in flight for long, asked for and cancelled by their identifier.
 * Keeps at most TASKS_MAX, and each that has ended for TASK_KEPT_MS; with no place left, calls just
 * stay calls.
 */
#include "mcp/tasks.h"
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

#include "mcp/methods.h"
#include "mcp/text.h"

#define TASKS_MAX     256
#define TASK_KEPT_MS  (10 * 60 * 1000) /* an ended task, for a client that polls slowly */
#define TASK_POLL_MS  1000
#define TASK_ID_BYTES 16 /* nobody guesses it */

enum task_status { TASK_WORKING, TASK_COMPLETED, TASK_CANCELLED };

static const char *const status_names[] = {"working", "completed", "cancelled"};

struct mcp_task {
	struct mcp_task *next;
	struct mcp_request *request; /* NULL once the task has ended */
	enum task_status status;
	json_t *result;		  /* of a completed task */
	int64_t created, updated; /* ms since 1970 */
	int64_t ended;		  /* ms of CLOCK_MONOTONIC */
	char id[2 * TASK_ID_BYTES + 1];
	char message[256];
};

bool tasks_are_taken(const struct mcp_incoming *incoming)
{
	const json_t *meta = json_object_get(incoming->params, "_meta");
	const json_t *capabilities =
	    json_object_get(meta, "io.modelcontextprotocol/clientCapabilities");

	return incoming->revision == MCP_REVISION_2026 &&
	       json_is_object(
		   json_object_get(json_object_get(capabilities, "extensions"), TASKS_EXTENSION));
}

void tasks_refuse_client(const struct mcp_incoming *incoming)
{
	connection_error(incoming, RPC_MISSING_CAPABILITY,
	    "Missing required client capability: extensions." TASKS_EXTENSION,
	    json_pack("{s:{s:{s:{}}}}", "requiredCapabilities", "extensions", TASKS_EXTENSION));
}

/* ---- What a client sees of a task ------------------------------------------------------------ */

/* ISO 8601 in UTC. libc's calendar would read the machine's time zone from a file. */
static json_t *date(int64_t ms)
{
	int64_t seconds = ms / 1000, day = seconds / 86400;
	int year = 1970, month = 0;
	int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};

	for (;; year++) {
		bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
		lengths[1] = leap ? 29 : 28;
		if (day < 365 + leap)
			break;
		day -= 365 + leap;
	}
	for (; day >= lengths[month]; month++)
		day -= lengths[month];
	return json_sprintf("%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", year, month + 1, (int)day + 1,
	    (int)(seconds / 3600 % 24), (int)(seconds / 60 % 60), (int)(seconds % 60),
	    (int)(ms % 1000));
}

static json_t *describe(const struct mcp_task *task)
{
	json_t *object = json_pack("{s:s, s:s, s:o, s:o, s:i}", "taskId", task->id, "status",
	    status_names[task->status], "createdAt", date(task->created), "lastUpdatedAt",
	    date(task->updated), "pollIntervalMs", TASK_POLL_MS);

	/* A task that is at work stays. */
	json_object_set_new(object, "ttlMs",
	    task->request ? json_null()
			  : json_integer(task->updated - task->created + TASK_KEPT_MS));
	if (task->message[0])
		json_object_set_new(object, "statusMessage", text_json(task->message));
	if (task->result)
		json_object_set(object, "result", task->result);
	return object;
}

/* ---- Tasks come and go ----------------------------------------------------------------------- */

static void forget(struct mcp_server *server, struct mcp_task **at)
{
	struct mcp_task *task = *at;

	*at = task->next;
	server->task_count--;
	json_decref(task->result);
	free(task);
}

/* Forgets tasks whose time is over; false if there are still too many. */
static bool make_room(struct mcp_server *server, int64_t now)
{
	for (struct mcp_task **at = &server->tasks; *at;)
		if (!(*at)->request && now - (*at)->ended > TASK_KEPT_MS)
			forget(server, at);
		else
			at = &(*at)->next;
	return server->task_count < TASKS_MAX;
}

static struct mcp_task *make_task(struct mcp_request *request)
{
	struct mcp_server *server = request->server;
	struct mcp_task *task = calloc(1, sizeof(*task));
	unsigned char random[TASK_ID_BYTES];

	if (!task || getrandom(random, sizeof(random), 0) != sizeof(random)) {
		free(task);
		return NULL;
	}
	for (size_t i = 0; i < TASK_ID_BYTES; i++)
		snprintf(task->id + 2 * i, 3, "%02x", random[i]);
	task->request = request;
	task->created = task->updated = request_time(CLOCK_REALTIME);
	task->next = server->tasks;
	server->tasks = task;
	server->task_count++;
	return task;
}

static int64_t task_after(const struct mcp_server *server)
{
	int64_t after = server->handler->task_after_ms;
	return after > 0 ? after : MCP_TASK_AFTER_MS;
}

/* When a call becomes a task; INT64_MAX: never. */
static int64_t due(const struct mcp_server *server, const struct mcp_request *request)
{
	int64_t after = task_after(server);

	return request->takes_tasks && after < MCP_TASK_NEVER ? request->begun + after : INT64_MAX;
}

int64_t mcp_server_next_task(const struct mcp_server *server)
{
	int64_t next = INT64_MAX;

	for (const struct mcp_request *request = server->requests; request; request = request->next)
		if (due(server, request) < next)
			next = due(server, request);
	return next;
}

void mcp_server_make_tasks(struct mcp_server *server, int64_t now)
{
	for (struct mcp_request *request = server->requests, *next; request; request = next) {
		next = request->next;
		if (due(server, request) == INT64_MAX || due(server, request) > now)
			continue;
		request->takes_tasks = false; /* is asked once */
		request->task = make_room(server, now) ? make_task(request) : NULL;
		if (request->task)
			request_answer_task(request, describe(request->task));
	}
}

void tasks_complete(struct mcp_task *task, json_t *result)
{
	task->request = NULL;
	task->status = result ? TASK_COMPLETED : TASK_CANCELLED;
	task->result = result;
	task->updated = request_time(CLOCK_REALTIME);
	task->ended = request_time(CLOCK_MONOTONIC);
	task->message[0] = '\0';
}

void tasks_note(struct mcp_task *task, double progress, double total, const char *message)
{
	char share[32] = "";

	if (total > 0 && progress <= total)
		snprintf(share, sizeof(share), "%.0f%%%s", 100 * progress / total,
		    message && *message ? ": " : "");
	snprintf(task->message, sizeof(task->message), "%s%.*s", share,
	    message ? text_cut(message, sizeof(task->message) - sizeof(share)) : 0,
	    message ? message : "");
	task->updated = request_time(CLOCK_REALTIME);
}

void tasks_clear(struct mcp_server *server)
{
	while (server->tasks) {
		struct mcp_request *request = server->tasks->request;
		if (request)
			request_drop(request);
		forget(server, &server->tasks);
	}
}

/* ---- tasks/get, tasks/update and tasks/cancel ------------------------------------------------ */

/* The task that the client names, or NULL with the client answered. */
static struct mcp_task *named_task(const struct mcp_incoming *incoming)
{
	const char *id = incoming_string(incoming, "taskId");
	struct mcp_task *task = incoming->server->tasks;

	if (!tasks_are_taken(incoming)) {
		tasks_refuse_client(incoming);
		return NULL;
	}
	while (id && task && strcmp(task->id, id) != 0)
		task = task->next;
	if (!id)
		connection_invalid_params(incoming, "Invalid params: taskId must be a string");
	else if (!task)
		connection_invalid_params(incoming,
		    "There is no such task: it is another server's, or it ended long ago");
	return id ? task : NULL;
}

void tasks_get(const struct mcp_incoming *incoming)
{
	const struct mcp_task *task = named_task(incoming);

	if (task)
		connection_result(incoming, describe(task));
}

/* Our tasks never ask for input, and the specification says to ignore answers that nobody asked
 * for. */
void tasks_update(const struct mcp_incoming *incoming)
{
	if (named_task(incoming))
		connection_result(incoming, json_object());
}

void tasks_cancel(const struct mcp_incoming *incoming)
{
	struct mcp_task *task = named_task(incoming);
	struct mcp_request *request = task ? task->request : NULL;

	if (!task)
		return;
	if (request) {
		tasks_complete(task, NULL);
		request_drop(request);
	}
	connection_result(incoming, json_object());
}
