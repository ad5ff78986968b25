/*
 * gdb has its time before a signal meets it, for two reasons. It aborts itself where a signal meets
 * it in a destructor, which no C++ exception may leave: at what most commands do, one signal in
 * sixty ends so. And it gives up what an interrupt meets it at after rr's stop (see has_given_up in
 * exchange.c). It has that time as work of its own: on a busy machine it takes longer over the same
 * command, and is no nearer to a hang.
 */
#include "worker/gdb/interruption.h"

#define BREVITY_MS  500	 /* for a command to end by itself */
#define TIDYING_MS  3000 /* for all that an operation still does after such a one */
#define PATIENCE_MS 1000 /* for a run to end after rr has stopped */
#define WAITING_MS  2000 /* more than each of these for one that does not work but waits */

static bool had_its_time(
    const struct interruption *interruption, const struct interrupted *met, long long time)
{
	long long passed = met->now - interruption->since;

	return passed >= time &&
	       (met->worked - interruption->worked >= time || passed >= time + WAITING_MS);
}

static void count_from(struct interruption *interruption, const struct interrupted *met)
{
	interruption->since = met->now;
	interruption->worked = met->worked;
}

static enum interruption_step begin(
    struct interruption *interruption, const struct interrupted *met)
{
	if (!met->resuming) {
		interruption->state = INTERRUPTION_AWAITED;
		interruption->met = met->token;
		count_from(interruption, met);
		return TELL_NOBODY;
	}
	interruption->state = met->has_rr ? INTERRUPTION_OF_RR : INTERRUPTION_OF_GDB;
	interruption->since = 0;
	return met->has_rr ? TELL_RR : TELL_GDB;
}

static bool is_late(const struct interruption *interruption, const struct interrupted *met)
{
	return !met->resuming && had_its_time(interruption, met,
				     met->token == interruption->met ? BREVITY_MS : TIDYING_MS);
}

/*
 * rr has been told. What still takes long is either rr, which cannot be hurried, or gdb itself,
 * which has its time from rr's stop on. Not while rr restarts, which is short: gdb would not yet
 * have read what kind of process this is, would take it for another kind, and would never again
 * agree with rr about the registers.
 */
static bool has_to_insist(struct interruption *interruption, const struct interrupted *met)
{
	if (!met->resuming || met->restarting || !met->has_rr)
		return false;
	if (met->rr_runs)
		interruption->since = 0;
	else if (!interruption->since)
		count_from(interruption, met);
	return interruption->since && had_its_time(interruption, met, PATIENCE_MS);
}

static enum interruption_step signal_if(struct interruption *interruption, bool wanted)
{
	if (!wanted)
		return TELL_NOBODY;
	interruption->state = INTERRUPTION_OF_GDB;
	return TELL_GDB;
}

enum interruption_step interruption_next(
    struct interruption *interruption, const struct interrupted *met)
{
	switch (interruption->state) {
	case INTERRUPTION_NONE:
		return begin(interruption, met);
	case INTERRUPTION_AWAITED:
		return signal_if(interruption, is_late(interruption, met));
	case INTERRUPTION_OF_RR:
		return signal_if(interruption, has_to_insist(interruption, met));
	case INTERRUPTION_OF_GDB:
		break;
	}
	return TELL_NOBODY;
}

int interruption_wait(const struct interruption *interruption, int else_ms)
{
	switch (interruption->state) {
	case INTERRUPTION_AWAITED:
		return BREVITY_MS;
	case INTERRUPTION_OF_RR:
		return PATIENCE_MS;
	default:
		return else_ms;
	}
}
