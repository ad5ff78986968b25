/*
 * A tracee's memory can be read and written in the same way if process_vm_readv and
 * process_vm_writev are forbidden, as in Docker's default container. Every test runs in a process
 * of its own, which is its own tracee.
 */
#include "worker/softpmu/base/memory.h"
#include "worker/softpmu/base/process.h"

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <seccomp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>
#include "tests/runner.h"

static void forbid_process_vm(void)
{
	scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
	ck_assert_int_eq(
	    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(process_vm_readv), 0), 0);
	ck_assert_int_eq(
	    seccomp_rule_add(filter, SCMP_ACT_ERRNO(EPERM), SCMP_SYS(process_vm_writev), 0), 0);
	ck_assert_int_eq(seccomp_load(filter), 0);
	seccomp_release(filter);
}

/* _i is 1 if the calls are forbidden. */
static void set_up_for(int forbidden)
{
	if (forbidden)
		forbid_process_vm();
}

START_TEST(lists_of_different_lengths_are_read_in_order)
{
	char there[] = "abcdefgh", first[3], second[6] = "";
	struct iovec remote[] = {{there, 5}, {there + 5, 3}};
	struct iovec local[] = {{first, 3}, {second, 5}};
	set_up_for(_i);
	ck_assert_int_eq(memory_read_lists(getpid(), local, 2, remote, 2), 8);
	ck_assert_mem_eq(first, "abc", 3);
	ck_assert_str_eq(second, "defgh");
}
END_TEST

START_TEST(a_read_ends_before_what_is_not_mapped)
{
	char there[] = "abcd", here[8];
	struct iovec remote[] = {{there, 4}, {(void *)16, 4}}, local = {here, 8};
	set_up_for(_i);
	ck_assert_int_eq(memory_read_lists(getpid(), &local, 1, remote, 2), 4);
	ck_assert_int_eq(memory_read_lists(getpid(), &local, 1, remote + 1, 1), -EFAULT);
}
END_TEST

/* An instruction's bytes are asked for before its length is known. */
START_TEST(code_is_read_up_to_the_end_of_its_pages)
{
	enum { PAGE = 4096, MOST = 15, LEFT = 5 };
	uint8_t *pages = mmap(
		    NULL, 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		*last = pages + PAGE - LEFT, here[MOST];
	const uint64_t address = (uint64_t)(uintptr_t)last;

	memcpy(last, "abcdefghijklmno", MOST);
	set_up_for(_i);
	ck_assert_uint_eq(memory_read_code(getpid(), address, here, MOST), MOST);
	ck_assert_mem_eq(here, "abcdefghijklmno", MOST);
	ck_assert_int_eq(munmap(pages + PAGE, PAGE), 0);
	ck_assert_uint_eq(memory_read_code(getpid(), address, here, MOST), LEFT);
	ck_assert_uint_eq(memory_read_code(getpid(), address + LEFT, here, MOST), 0);
	ck_assert(memory_read(getpid(), address, here, LEFT));
	ck_assert(!memory_read(getpid(), address, here, MOST));
}
END_TEST

START_TEST(what_is_written_is_there_whatever_the_page_allows)
{
	static const uint64_t words[] = {0x6162636465666768, 0x3132333435363738};
	uint64_t *there = mmap(NULL, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0),
		 got[2] = {0};
	pid_t tracee = fork();
	int status;

	ck_assert_int_ge(tracee, 0);
	if (tracee == 0) {
		ptrace(PTRACE_TRACEME, 0, 0, 0);
		raise(SIGSTOP);
		_exit(0);
	}
	ck_assert_int_eq(waitpid(tracee, &status, 0), tracee);
	set_up_for(_i);
	ck_assert(memory_write(tracee, (uint64_t)(uintptr_t)there, words, 2));
	ck_assert(memory_read(tracee, (uint64_t)(uintptr_t)there, got, sizeof got));
	ck_assert_uint_eq(got[0], words[0]);
	ck_assert_uint_eq(got[1], words[1]);
	ck_assert(!memory_write(tracee, 16, words, 2));
	kill(tracee, SIGKILL);
	waitpid(tracee, &status, 0);
}
END_TEST

START_TEST(a_variable_is_writable)
{
	char there = 0;

	set_up_for(_i);
	ck_assert(memory_is_writable(getpid(), (uint64_t)(uintptr_t)&there));
}
END_TEST

/* Only the way that respects the pages' protection can tell. The other one says "writable", which
 * is safe. */
START_TEST(code_is_not_writable_as_far_as_anybody_can_tell)
{
	set_up_for(_i);
	ck_assert_int_eq(memory_is_writable(getpid(), (uint64_t)(uintptr_t)strlen), _i);
}
END_TEST

/* rr has one descriptor for all that share a memory. */
START_TEST(a_descriptor_is_of_who_has_the_memory_now)
{
	const pid_t heir = getppid(), next = 1;
	int fd = open("/proc/self/mem", O_RDONLY | O_CLOEXEC);

	ck_assert_int_ge(fd, 0);
	ck_assert_int_eq(process_of_memory(fd), getpid());
	process_leave_memory(getpid(), heir);
	ck_assert_int_eq(process_of_memory(fd), heir);
	process_leave_memory(heir, next);
	ck_assert_int_eq(process_of_memory(fd), next);
	process_begin(next); /* without an heir */
	ck_assert_int_eq(process_of_memory(fd), getpid());
	close(fd);
}
END_TEST

int main(void)
{
	const struct looped tests[] = {
	    {lists_of_different_lengths_are_read_in_order, 2},
	    {a_read_ends_before_what_is_not_mapped, 2},
	    {code_is_read_up_to_the_end_of_its_pages, 2},
	    {what_is_written_is_there_whatever_the_page_allows, 2},
	    {a_variable_is_writable, 2},
	    {code_is_not_writable_as_far_as_anybody_can_tell, 2},
	    {a_descriptor_is_of_who_has_the_memory_now, 1},
	    {NULL, 0},
	};

	return run_loops("memory", tests, NULL, NULL);
}
