/*
 * Children that compute and make system calls until somebody kills them: their pids go to a fifo,
 * and the same program, run apart, reads them there and kills each at an uncertain moment.
 *
 *	killed FIFO CHILDREN
 *	killed FIFO
 *
 * With a file of 8 bytes, the children only count, in registers, and show there how far they are.
 * None is killed before it counts.
 *
 *	killed FIFO CHILDREN FILE
 *	killed FIFO FILE
 */
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static volatile unsigned sum;
static volatile unsigned long *progress; /* of the child that lives; NULL: not shown */

static void compute(void)
{
	for (;;) {
		sched_yield();
		for (unsigned i = 0; i < 10000; i++)
			sum += i;
	}
}

/*
 * One conditional branch a round: how many rounds a child has passed is in r12, so the ticks of two
 * children that were killed at the same of these few instructions differ as their r12 do. r13 says
 * that a child has come here.
 */
static void count_rounds(void)
{
	__asm__ volatile("xorl %%r12d, %%r12d\n\t"
			 "movl $0x636f756e, %%r13d\n"
			 "1:\n\t"
			 "testb $3, %%r12b\n\t"
			 "leaq 1(%%r12), %%r12\n\t"
			 "jz 2f\n\t"
			 "nop\n"
			 "2:\n\t"
			 "movq %%r12, (%0)\n\t"
			 "jmp 1b" ::"r"(progress)
			 : "r12", "r13", "cc", "memory");
}

static int show_progress_in(const char *file)
{
	int fd = open(file, O_RDWR);

	progress = mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	return progress == MAP_FAILED ? -1 : 0;
}

static int kill_all(const char *fifo)
{
	int fd = open(fifo, O_RDONLY);
	pid_t pid;

	for (long i = 0; read(fd, &pid, sizeof(pid)) == sizeof(pid); i++) {
		struct timespec while_it_runs = {0, 100000 + i * 7919 % 800000};

		while (progress && *progress == 0)
			sched_yield();
		nanosleep(&while_it_runs, NULL);
		kill(pid, SIGKILL);
	}
	return 0;
}

/* A child tells its pid itself, so it has begun when the other one learns of it. */
static void live(int fd)
{
	pid_t pid = getpid();

	if (progress)
		*progress = 0;
	if (write(fd, &pid, sizeof(pid)) != sizeof(pid))
		_exit(1);
	if (progress)
		count_rounds();
	compute();
}

int main(int argc, char *argv[])
{
	int fd, killed = 0;

	bool kills = argc < 3 || argv[2][0] == '/';
	const char *file = kills ? argv[2] : argv[3];

	if (file && show_progress_in(file) < 0)
		return 1;
	if (kills)
		return kill_all(argv[1]);
	fd = open(argv[1], O_WRONLY);
	for (int i = 0; i < atoi(argv[2]); i++) {
		pid_t pid = fork();
		int status;

		if (pid == 0)
			live(fd);
		if (waitpid(pid, &status, 0) == pid && WIFSIGNALED(status))
			killed++;
	}
	printf("killed %d\n", killed);
	return 0;
}
