/*
 * See witness.h.
 */
#include "tests/attacks/witness.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include "tests/e2e/harness.h"

char *witness_new(void)
{
	char *folder = strdup("/tmp/w.XXXXXX"); /* short: it stands in the middle of attacks */

	if (folder == NULL || mkdtemp(folder) == NULL || chmod(folder, 0777) != 0)
		harness_fail("no witness folder");
	return folder;
}

void witness_check(char *folder)
{
	DIR *opened = opendir(folder);

	if (opened == NULL)
		harness_fail("the witness folder is gone");
	for (struct dirent *entry; (entry = readdir(opened)) != NULL;)
		if (entry->d_name[0] != '.')
			harness_fail("an attack made %s/%s", folder, entry->d_name);
	closedir(opened);
	rmdir(folder);
	free(folder);
}
