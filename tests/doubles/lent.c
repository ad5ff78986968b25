/*
 * Says whether its process can make a user namespace and use a capability there. Both a program and
 * a library to preload. With an argument, the program also shows that variable. With LENT_AGAIN,
 * the process executes itself first, so that the library is loaded as that start allows.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

__attribute__((constructor)) static void try(int argc, char **argv)
{
	char label[256] = "";
	int status = 1, fd = open("/proc/self/attr/apparmor/current", O_RDONLY | O_CLOEXEC);
	pid_t child = fork();

	if (child == 0)
		_exit(unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0 ||
		      mount("none", "/tmp", "tmpfs", 0, NULL) < 0);
	while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR)
		;
	if (fd >= 0 && read(fd, label, sizeof(label) - 1) > 0)
		label[strcspn(label, "\n")] = '\0';
	close(fd);
	dprintf(STDERR_FILENO, "%s: user namespaces %s in %s\n", program_invocation_short_name,
	    status == 0 ? "lent" : "denied", label);
	if (argc > 0 && getenv("LENT_AGAIN")) {
		unsetenv("LENT_AGAIN");
		execv("/proc/self/exe", argv);
	}
}

int main(int argc, char **argv)
{
	const char *value = argc > 1 ? getenv(argv[1]) : NULL;

	if (argc > 1)
		printf("%s is %s\n", argv[1], value ? value : "unset");
	return 0;
}
