/*
 * What the environment of rr says to this library.
 */
#ifndef RR_WARDEN_SOFTPMU_ENVIRONMENT_H
#define RR_WARDEN_SOFTPMU_ENVIRONMENT_H

#include "worker/softpmu/legs/softpmu.h"

/* Call it before rr's main. Afterwards neither the variables nor the library are there. */
void environment_read(struct softpmu *softpmu);

#endif
