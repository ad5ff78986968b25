#ifndef SANDBOX_PMU_PROOF_H
#define SANDBOX_PMU_PROOF_H
/*
 * Proves a choice of counters: rr records /bin/true with it, and replays that. A counter can count
 * a loop correctly and still interrupt rr too late, or lose its value on another core.
 */
#include "sandbox/pmu/pmu.h"

enum pmu_proof {
	PMU_PROOF_OPEN,	  /* it could not be tried: no directory, or no process */
	PMU_PROOF_HELD,	  /* the recording replayed */
	PMU_PROOF_FAILED, /* rr could not record or replay with this counter, or not in time */
};

/*
 * Takes about a tenth of a second, and at most `seconds`. softpmu is as for pmu_rr_environment.
 * Uses a directory of its own in TMPDIR or /tmp, and removes it. If it failed, why gets one clause,
 * and is "" otherwise.
 */
enum pmu_proof pmu_prove(
    const struct pmu_choice *choice, const char *softpmu, double seconds, char *why, size_t size);

#endif
