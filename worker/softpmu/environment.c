/*
 * Reads our variables, and takes them and this library out of the environment: the recorded program
 * must never get it.
 */
#include "worker/softpmu/environment.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

#include "worker/softpmu/base/message.h"
#include "worker/softpmu/traps/processor.h"

/* Takes each item out of a list in the environment and leaves what the user has there. */
static void take_out_of_list(const char *variable, const char *separators, const char *item)
{
	const char *list = getenv(variable);
	size_t length = list ? strlen(list) : 0, used = 0;
	char *rest = calloc(1, length + 1);

	if (!list || !rest)
		goto out;
	for (const char *at = list; *at;) {
		size_t n = strcspn(at, separators);

		if (n > 0 && (n != strlen(item) || memcmp(at, item, n) != 0)) {
			if (used > 0)
				rest[used++] = ':';
			memcpy(rest + used, at, n);
			used += n;
		}
		at += n + (at[n] != '\0');
	}
	if (used > 0)
		setenv(variable, rest, 1);
	else
		unsetenv(variable);
out:
	free(rest);
}

/* The program must not get the library: neither by its path nor, see pmu.c, by its name and folder.
 */
static void take_out_of_preload(void)
{
	Dl_info self = {0};
	char *folder;

	if (!dladdr((void *)message_warn, &self) || !self.dli_fname)
		return;
	folder = strdup(self.dli_fname);
	take_out_of_list("LD_PRELOAD", ": ", self.dli_fname);
	if (folder && strchr(folder, ' ') && strrchr(folder, '/')) {
		take_out_of_list("LD_PRELOAD", ": ", strrchr(folder, '/') + 1);
		*strrchr(folder, '/') = '\0';
		take_out_of_list("LD_LIBRARY_PATH", ":;", folder);
	}
	free(folder);
}

void environment_read(struct softpmu *softpmu)
{
	static const char *const modes[] = {
	    [MODE_RUN] = "run", [MODE_LEGS] = "legs", [MODE_STEP] = "step", [MODE_CARRY] = "carry"};
	const char *stats = getenv("RR_WARDEN_SOFTPMU_STATS"), *mode = getenv("RR_WARDEN_SOFTPMU");
	const char *version = getenv("RR_WARDEN_RR_VERSION");
	size_t known = sizeof modes / sizeof modes[0];
	size_t i = 0;

	softpmu->stats_path = stats ? strdup(stats) : NULL;
	while (mode && i < known && strcmp(mode, modes[i]) != 0)
		i++;
	if (i < known)
		softpmu->mode = (enum softpmu_mode)i;
	else
		message_warn(
		    "RR_WARDEN_SOFTPMU=%s is ignored: it can be run, legs, step or carry", mode);
	unsetenv("RR_WARDEN_SOFTPMU_STATS");
	softpmu->rr_version = version ? (unsigned)strtoul(version, NULL, 10) : 0;
	unsetenv("RR_WARDEN_RR_VERSION");
	if (softpmu->mode != MODE_CARRY)
		processor_probe(getenv("RR_WARDEN_SOFTPMU_LACKS"));
	unsetenv("RR_WARDEN_SOFTPMU_LACKS");
	unsetenv("RR_WARDEN_SOFTPMU");
	take_out_of_preload();
}
