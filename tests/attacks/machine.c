/*
 * See machine.h.
 */
#include "tests/attacks/machine.h"

#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <unistd.h>
#include "tests/attacks/stage.h"

const char *const machine_keys[] = {"/etc/munge/munge.key", "/etc/wireguard/wg0.conf",
    "/etc/NetworkManager/system-connections/office", "/etc/kubernetes/admin.conf",
    "/var/lib/kubelet/pods/token", "/var/lib/rancher/token", "/var/backups/shadow.bak", NULL};

bool machine_has_homes(void)
{
	static bool made;

	if (made || geteuid() != 0 || unshare(CLONE_NEWNS) < 0 ||
	    mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("tmpfs", "/home", "tmpfs", 0, NULL) < 0)
		return made;
	harness_shell("cd /home && mkdir -p victim/.ssh victim/bin victim/project && "
		      "echo %s | tee victim/notes.txt victim/.ssh/id_test victim/bin/key "
		      "victim/project/open.txt >/dev/null && cp /bin/ls victim/bin/look && "
		      "chmod -R a+rX .",
	    SECRET);
	return made = true;
}

bool machine_has_keys(void)
{
	static const char *const places[] = {"/etc", "/var/lib", "/var/backups"};
	static bool made;

	if (made || !machine_has_homes())
		return made;
	for (size_t i = 0; i < sizeof(places) / sizeof(*places); i++) {
		char options[256];
		harness_shell("mkdir -p /home/.over/%zu/upper /home/.over/%zu/work", i, i);
		snprintf(options, sizeof(options),
		    "lowerdir=%s,upperdir=/home/.over/%zu/upper,workdir=/home/.over/%zu/work",
		    places[i], i, i);
		if (mount("overlay", places[i], "overlay", 0, options) < 0)
			return false;
	}
	for (const char *const *key = machine_keys; *key; key++)
		harness_shell("mkdir -p $(dirname %s) && echo %s >%s", *key, SECRET, *key);
	return made = true;
}
