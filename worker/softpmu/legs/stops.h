/*
 * Stops of tracees: which ones end a leg of ours, which ones are for rr, and their ticks.
 */
#ifndef RR_WARDEN_SOFTPMU_STOPS_H
#define RR_WARDEN_SOFTPMU_STOPS_H

#include "worker/softpmu/legs/softpmu.h"

enum stop_verdict {
	STOP_FOR_RR, /* report it; the status may have been changed */
	STOP_OURS,   /* consumed: the tracee runs again */
};

/*
 * Judges the stop of tid with a wait status as waitpid gives it. Counts the ticks of the leg it
 * ends. A counter overflow becomes a stop with the counter's signal.
 */
enum stop_verdict stops_judge(struct softpmu *pmu, pid_t tid, int *status);

/* The task tid is not rr's any more, or is a new one: nothing that is known of tid is true of it.
 */
void stops_forget(struct softpmu *pmu, pid_t tid);

/* True if a stop of tid could be ours: then we must consume it to judge it. */
bool stops_may_be_ours(struct softpmu *pmu, pid_t tid);

#endif
