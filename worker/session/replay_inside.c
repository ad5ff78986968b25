/*
 * What other folders may know of a session, and what they may tell it.
 */
#include "worker/session/replay_inside.h"

#include <string.h>
#include "sandbox/pmu/pmu.h"
#include "worker/gdb/exchange.h"

struct worker *replay_worker(const struct replay *replay)
{
	return replay->worker;
}

struct gdb *replay_gdb(const struct replay *replay)
{
	return replay->gdb;
}

const char *replay_trace_dir(const struct replay *replay)
{
	return replay->trace_dir;
}

int replay_trace(const struct replay *replay)
{
	return replay->trace;
}

const char *replay_executable(const struct replay *replay)
{
	return replay->executable;
}

const char *replay_command(const struct replay *replay)
{
	return replay->original ? replay->original : replay->executable;
}

const char *replay_pmu(const struct replay *replay)
{
	return replay->pmu;
}

bool replay_counts_in_software(const struct replay *replay)
{
	return strcmp(replay->pmu, pmu_kind_name(PMU_SOFTWARE)) == 0;
}

long long replay_pid(const struct replay *replay)
{
	return replay->pid;
}

bool replay_is_from_fork(const struct replay *replay)
{
	return replay->from_fork;
}

void replay_debugs(struct replay *replay, long long pid, bool from_fork)
{
	replay->pid = pid;
	replay->from_fork = from_fork;
}

const struct asked_for *replay_asked(const struct replay *replay)
{
	return &replay->asked;
}

void replay_was_asked(struct replay *replay, const struct asked_for *asked)
{
	replay->asked = *asked;
}

void replay_opened(struct replay *replay)
{
	replay->opened = replay->moment;
}

bool replay_is_where_opened(const struct replay *replay)
{
	return replay->moment.event == replay->opened.event &&
	       replay->moment.ticks == replay->opened.ticks;
}

const struct moment *replay_now(const struct replay *replay)
{
	return &replay->moment;
}

void replay_arrived(struct replay *replay, const struct moment *moment)
{
	replay->moment = *moment;
	replay->arrived_at = gdb_exchange(replay->gdb)->stops;
}

void replay_speak_of(struct replay *replay, const struct moment *moment)
{
	replay->moment = *moment;
	replay->arrived_at = gdb_exchange(replay->gdb)->stops - 1;
}

bool replay_has_arrived(const struct replay *replay)
{
	return replay->arrived_at == gdb_exchange(replay->gdb)->stops;
}

const struct moment *replay_end(const struct replay *replay)
{
	return &replay->end;
}

void replay_reached_end(struct replay *replay)
{
	replay->end = replay->moment;
}

unsigned long long replay_first_pc(const struct replay *replay)
{
	return replay->first_pc;
}

bool replay_is_at_end(const struct replay *replay)
{
	return replay->at_end;
}

bool replay_is_at_signal(const struct replay *replay)
{
	return replay->at_signal;
}

void replay_stands(struct replay *replay, bool at_end, bool at_signal)
{
	replay->at_end = at_end;
	replay->at_signal = at_signal;
}

void replay_moves(struct replay *replay)
{
	replay_stands(replay, false, false);
}

struct run *replay_run(struct replay *replay)
{
	return &replay->run;
}

int replay_rr_number(const struct replay *replay)
{
	return replay->rr_number;
}

void replay_next_rr(struct replay *replay)
{
	replay->rr_number = (replay->rr_number + 1) % REPLAY_RR_NUMBERS;
	replay->loaded.agrees = false;
}

const struct selection *replay_selected(const struct replay *replay)
{
	return &replay->selected;
}

struct breakpoint_list *replay_breakpoints(const struct replay *replay)
{
	return replay->breakpoints;
}

struct checkpoint_list *replay_checkpoints(struct replay *replay)
{
	return &replay->checkpoints;
}

json_t *replay_signals(const struct replay *replay)
{
	return replay->signals;
}

struct read_before *replay_read_before(struct replay *replay, enum reader reader)
{
	return &replay->read_before[reader];
}

struct loaded *replay_loaded(struct replay *replay)
{
	return &replay->loaded;
}

struct taught *replay_taught(struct replay *replay)
{
	return &replay->taught;
}

struct shown_sources *replay_sources(struct replay *replay)
{
	return &replay->sources;
}

struct live_output *replay_output(const struct replay *replay)
{
	return replay->output;
}

json_t *replay_warnings(const struct replay *replay)
{
	return replay->warnings;
}

bool replay_casts_wrongly(const struct replay *replay)
{
	return replay->wrong_casts;
}

void replay_changed(struct replay *replay)
{
	if (replay->changed)
		replay->changed(replay);
}

void replay_on_change(struct replay *replay, void (*changed)(struct replay *replay))
{
	replay->changed = changed;
}
