/*
 * Stops of tracees: which end a leg of ours, which are for rr, and the ticks each stands for.
 */
#ifndef RR_WARDEN_SOFTPMU_STOPS_H
#define RR_WARDEN_SOFTPMU_STOPS_H

#include "worker/softpmu/softpmu.h"

enum stop_verdict {
	STOP_FOR_RR, /* report it; the status may have been changed */
	STOP_OURS,   /* consumed: the tracee runs again */
};

/*
 * Judges the stop of tid with a wait status as waitpid gives it. Counts the ticks of the leg it
 * ends. A counter overflow becomes a stop with the counter's signal.
 */
enum stop_verdict stops_judge(struct softpmu *pmu, pid_t tid, int *status);

/* True when a stop of tid could be one of ours: it has to be consumed to be judged. */
bool stops_may_be_ours(struct softpmu *pmu, pid_t tid);

#endif
