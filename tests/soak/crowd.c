/*
 * Many sessions at once. Each seat has one session and one call in flight at most; chance picks the
 * calls, and which are cancelled, interrupted or robbed of a process. Must never take an error for
 * one that a kill explains without looking at its code.
 */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "tests/soak/balance.h"
#include "tests/soak/soak.h"

#define SEATS_MAX     64
#define SILENCE_S     120.0 /* an answer takes no longer, whatever dies */
#define KILL_EVERY_MS 700
#define DISTURBED_IN  800 /* rounds, of which there are up to a hundred a second */

enum doing { IDLE, OPENING, CALLING, CLOSING, RECORDING, REMOVING };

struct seat {
	enum doing doing;
	long long id; /* of the call in flight */
	double since;
	char session[32]; /* "": none */
	char trace[512];  /* to be removed; "": none */
};

struct crowd {
	struct soak *soak;
	struct client *client;
	struct seat seats[SEATS_MAX];
	size_t count;
	json_t *forgotten; /* ids of cancelled calls, which may be answered or not */
	json_t *codes;	   /* how many answers of each code */
	long long answers, cancels, interrupts, kills, wrong;
	bool closing;
};

static void send_call(
    struct crowd *crowd, struct seat *seat, enum doing doing, const char *tool, json_t *args)
{
	if (seat->session[0])
		json_object_set_new(args, "session", json_string(seat->session));
	seat->id = client_tool_send(crowd->client, tool, args);
	seat->doing = doing;
	seat->since = harness_now();
}

/* What a session is asked, and how often of a hundred. */
static const struct {
	unsigned share;
	const char *tool, *args;
} calls[] = {
    {16, "rr_continue", "{}"},
    {6, "rr_continue", "{\"reverse\":true}"},
    {14, "rr_step", "{\"unit\":\"instruction\",\"count\":50}"},
    {10, "rr_step", "{\"unit\":\"instruction\",\"count\":1000000}"},
    {6, "rr_next", "{}"},
    {14, "rr_evaluate", "{\"expression\":\"1+1\"}"},
    {8, "rr_backtrace", "{}"},
    {6, "rr_goto", "{\"moment\":\"start\"}"},
    {4, "rr_goto", "{\"moment\":\"end\"}"},
    {4, "rr_breakpoint_set", "{\"location\":\"main\"}"},
    {4, "rr_checkpoint_save", "{}"},
    {4, "rr_locals", "{}"},
};

static void call_session(struct crowd *crowd, struct seat *seat)
{
	unsigned at = soak_chance(crowd->soak, 100);

	for (size_t i = 0; i < sizeof(calls) / sizeof(*calls); i++) {
		if (at < calls[i].share) {
			send_call(crowd, seat, CALLING, calls[i].tool,
			    json_loads(calls[i].args, 0, NULL));
			return;
		}
		at -= calls[i].share;
	}
	send_call(crowd, seat, CLOSING, "rr_replay_stop", json_object());
}

static void record(struct crowd *crowd, struct seat *seat)
{
	send_call(
	    crowd, seat, RECORDING, "rr_record", json_pack("{s:[s]}", "command", "/bin/true"));
}

/* Gives an idle seat something to do; nothing new while the crowd goes home. */
static void seat_act(struct crowd *crowd, struct seat *seat)
{
	const struct soak *soak = crowd->soak;

	if (seat->trace[0])
		send_call(
		    crowd, seat, REMOVING, "rr_rm", json_pack("{s:s}", "trace_dir", seat->trace));
	else if (crowd->closing && seat->session[0])
		send_call(crowd, seat, CLOSING, "rr_replay_stop", json_object());
	else if (crowd->closing)
		return;
	else if (seat->session[0])
		call_session(crowd, seat);
	else if (soak_chance(crowd->soak, 20) == 0)
		record(crowd, seat);
	else
		send_call(crowd, seat, OPENING, "rr_replay_start",
		    json_pack(
			"{s:s}", "trace_dir", soak->traces[soak_chance(crowd->soak, SOAK_TRACES)]));
}

/* ---- Answers ------------------------------------------------------------------------------- */

static const char *code_of(const json_t *message)
{
	const json_t *result = json_object_get(message, "result");
	const char *code = json_string_value(
	    json_object_get(json_object_get(result, "structuredContent"), "code"));

	if (json_object_get(message, "error"))
		return "protocol error";
	return json_is_true(json_object_get(result, "isError")) ? code ? code : "no code" : "ok";
}

/* What neither a kill, a cancel nor a limit explains. */
static bool is_wrong(const char *code)
{
	static const char *const wrong[] = {"internal", "protocol error", "no code",
	    "sandbox_violation", "invalid_argument", "unsupported", "not_allowed"};

	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		if (strcmp(code, wrong[i]) == 0)
			return true;
	return false;
}

static void count_code(struct crowd *crowd, const json_t *message, const char *code)
{
	json_int_t before = json_integer_value(json_object_get(crowd->codes, code));

	crowd->answers++;
	json_object_set_new(crowd->codes, code, json_integer(before + 1));
	if (!is_wrong(code))
		return;
	char *shown = answer_show(message);
	crowd->wrong++;
	fprintf(stderr, "%.700s\n", shown);
	free(shown);
}

static void seat_take(struct crowd *crowd, struct seat *seat, const json_t *message)
{
	const json_t *content =
	    json_object_get(json_object_get(message, "result"), "structuredContent");
	const char *code = code_of(message);
	const char *session = json_string_value(json_object_get(content, "session"));
	const char *trace = json_string_value(json_object_get(content, "trace_dir"));
	bool ok = strcmp(code, "ok") == 0;

	count_code(crowd, message, code);
	if (seat->doing == OPENING && ok && session)
		snprintf(seat->session, sizeof(seat->session), "%s", session);
	if ((seat->doing == CLOSING && ok) || strcmp(code, "no_session") == 0)
		seat->session[0] = '\0';
	if (seat->doing == RECORDING && ok && trace)
		snprintf(seat->trace, sizeof(seat->trace), "%s", trace);
	if (seat->doing == REMOVING)
		seat->trace[0] = '\0';
	seat->doing = IDLE;
	seat->id = 0;
}

static void take_message(struct crowd *crowd, json_t *message)
{
	char key[32];
	long long id = json_integer_value(json_object_get(message, "id"));

	if (id == 0)
		return;
	for (size_t i = 0; i < crowd->count; i++)
		if (crowd->seats[i].id == id) {
			seat_take(crowd, &crowd->seats[i], message);
			return;
		}
	snprintf(key, sizeof(key), "%lld", id);
	if (json_object_del(crowd->forgotten, key) == 0)
		return;
	crowd->wrong++;
	fprintf(stderr, "request %lld was answered twice\n", id);
}

/* ---- Disturbances -------------------------------------------------------------------------- */

static void forget(struct crowd *crowd, struct seat *seat)
{
	char key[32];

	snprintf(key, sizeof(key), "%lld", seat->id);
	json_object_set_new(crowd->forgotten, key, json_true());
	seat->id = 0;
	seat->doing = IDLE;
}

static void disturb(struct crowd *crowd, struct seat *seat)
{
	unsigned chance = soak_chance(crowd->soak, DISTURBED_IN);

	if (seat->doing == IDLE || harness_now() - seat->since < 0.05)
		return;
	/* A stop that nobody waits for still stops, and a trace is still removed. */
	if (chance == 0 &&
	    (seat->doing == OPENING || seat->doing == CALLING || seat->doing == RECORDING)) {
		client_cancel(crowd->client, seat->id);
		forget(crowd, seat);
		crowd->cancels++;
	} else if (chance == 1 && seat->doing == CALLING) {
		char key[32];
		long long id = client_tool_send(
		    crowd->client, "rr_interrupt", json_pack("{s:s}", "session", seat->session));
		snprintf(key, sizeof(key), "%lld", id);
		json_object_set_new(crowd->forgotten, key, json_true());
		crowd->interrupts++;
	}
}

/* Any process below the server but the keeper, without which it ends. */
static void kill_one(struct crowd *crowd)
{
	struct census census;
	pid_t server = client_pid(crowd->client);

	census_take(server, &census);
	if (census.count < 2)
		return;
	const struct census_process *victim =
	    &census.processes[soak_chance(crowd->soak, (unsigned)census.count)];
	/* The launcher takes all sessions with it: one kill in forty of its own is enough. */
	if (victim->parent == server ||
	    (strcmp(victim->name, "rr-warden") == 0 && soak_chance(crowd->soak, 40) != 0))
		return;
	kill(victim->pid, SIGKILL);
	crowd->kills++;
}

/* ---- The crowd ----------------------------------------------------------------------------- */

static bool is_silent(const struct crowd *crowd)
{
	for (size_t i = 0; i < crowd->count; i++)
		if (crowd->seats[i].doing != IDLE &&
		    harness_now() - crowd->seats[i].since > SILENCE_S)
			return true;
	return false;
}

static bool is_empty(const struct crowd *crowd)
{
	for (size_t i = 0; i < crowd->count; i++)
		if (crowd->seats[i].doing != IDLE || crowd->seats[i].session[0] ||
		    crowd->seats[i].trace[0])
			return false;
	return true;
}

/* One round: what came in, then what every seat does next. */
static void go_round(struct crowd *crowd)
{
	json_t *message = client_message(crowd->client, 0.01);

	for (; message != NULL; message = client_message(crowd->client, 0)) {
		take_message(crowd, message);
		json_decref(message);
	}
	for (size_t i = 0; i < crowd->count; i++) {
		if (crowd->seats[i].doing == IDLE)
			seat_act(crowd, &crowd->seats[i]);
		else if (!crowd->closing)
			disturb(crowd, &crowd->seats[i]);
	}
	if (is_silent(crowd))
		harness_fail("a call has had no answer for %.0f s; stderr: %s", SILENCE_S,
		    client_stderr(crowd->client));
}

static void run_for(struct crowd *crowd, double seconds, bool kills)
{
	double begin = harness_now(), next_kill = begin + 1, next_word = begin + 30;

	crowd->closing = false;
	while (harness_now() - begin < seconds) {
		go_round(crowd);
		if (kills && harness_now() > next_kill) {
			next_kill = harness_now() + soak_chance(crowd->soak, KILL_EVERY_MS) / 500.0;
			kill_one(crowd);
		}
		if (harness_now() > next_word) {
			next_word += 30;
			fprintf(stderr,
			    "%.0f s: %lld answers, %lld cancels, %lld kills, %lld KiB\n",
			    harness_now() - begin, crowd->answers, crowd->cancels, crowd->kills,
			    census_resident_kib(client_pid(crowd->client)));
		}
	}
	crowd->closing = true;
	while (!is_empty(crowd))
		go_round(crowd);
}

/* Calls a tool for each item of what another lists. Returns how many there were. */
static size_t for_each(
    struct crowd *crowd, const char *lister, const char *list, const char *tool, const char *name)
{
	size_t index;
	json_t *item, *answer = client_tool(crowd->client, lister, NULL);
	size_t count = json_array_size(answer_at(answer, list));

	json_array_foreach(answer_at(answer, list), index, item)
	    client_tool_done(crowd->client, tool, "{s:s}", name, answer_text(item, name));
	json_decref(answer);
	return count;
}

/* Traces of recordings that were cancelled or robbed, and sessions whose start was cancelled just
 * after it had succeeded. */
static void clear_up(struct crowd *crowd)
{
	while (for_each(crowd, "rr_list_recordings", "recordings", "rr_rm", "trace_dir") > 0)
		continue;
	for_each(crowd, "rr_sessions", "sessions", "rr_replay_stop", "session");
}

bool crowd_run(struct soak *soak)
{
	struct crowd crowd = {.soak = soak,
	    .client = soak_start_server(soak),
	    .count = (size_t)(soak->at_once < SEATS_MAX ? soak->at_once : SEATS_MAX),
	    .forgotten = json_object(),
	    .codes = json_object()};
	struct balance before, after;

	/* As many once, so that the server has the memory that so many take. */
	run_for(&crowd, soak->seconds / 20, false);
	clear_up(&crowd);
	balance_take(crowd.client, soak->folder, &before);
	crowd.answers = crowd.cancels = crowd.interrupts = 0;
	json_object_clear(crowd.codes);
	run_for(&crowd, soak->seconds, true);
	clear_up(&crowd);
	balance_take(crowd.client, soak->folder, &after);
	char *codes = answer_show(crowd.codes);
	printf("%zu sessions at once for %.0f s: %lld answers, %lld cancels, %lld interrupts, %lld "
	       "kills\nanswers: %s\n",
	    crowd.count, soak->seconds, crowd.answers, crowd.cancels, crowd.interrupts, crowd.kills,
	    codes);
	free(codes);
	bool balanced = balance_compare("sessions at once", &before, &after) && crowd.wrong == 0;
	json_decref(crowd.forgotten);
	json_decref(crowd.codes);
	client_end(crowd.client);
	return balanced;
}
