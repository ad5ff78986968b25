/*
 * Does everything that can be caught, twice and in this order: loads a library, starts a process in
 * each of three ways, gets a signal, throws an exception and throws it again where it is caught.
 */
#include <csignal>
#include <cstdio>
#include <dlfcn.h>
#include <spawn.h>
#include <stdexcept>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

static volatile sig_atomic_t signals;

static void on_signal(int)
{
	signals = signals + 1;
}

__attribute__((noinline)) static void load(const char *name)
{
	dlopen(name, RTLD_NOW);
}

__attribute__((noinline)) static void start_by_fork()
{
	pid_t child = fork();

	if (child == 0)
		_exit(0);
	waitpid(child, nullptr, 0);
}

__attribute__((noinline)) static void start_by_vfork()
{
	pid_t child = vfork();

	if (child == 0)
		_exit(0);
	waitpid(child, nullptr, 0);
}

__attribute__((noinline)) static void start_by_spawn()
{
	char name[] = "true";
	char *argv[] = {name, nullptr};
	pid_t child;

	if (posix_spawn(&child, "/bin/true", nullptr, nullptr, argv, environ) == 0)
		waitpid(child, nullptr, 0);
}

__attribute__((noinline)) static void fail(int number)
{
	try {
		if (number)
			throw std::length_error("one");
		throw number;
	} catch (...) {
		throw;
	}
}

__attribute__((noinline)) static void swallow(int number)
{
	try {
		fail(number);
	} catch (...) {
	}
}

int main()
{
	static const char *const libraries[] = {"libm.so.6", "librt.so.1"};

	std::signal(SIGUSR1, on_signal);
	for (int i = 0; i < 2; i++) {
		load(libraries[i]);
		start_by_fork();
		start_by_vfork();
		start_by_spawn();
		std::raise(SIGUSR1);
		swallow(i);
	}
	std::printf("%d signals\n", static_cast<int>(signals));
	return 0;
}
