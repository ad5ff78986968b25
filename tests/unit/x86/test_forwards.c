/*
 * Bodies of functions as compilers make them, and which of their arguments they hand on.
 */
#include <check.h>
#include "worker/x86/forwards.h"
#include "tests/runner.h"

#define ENTRY	    0x401000
#define CODE(bytes) (const uint8_t *)(bytes), sizeof(bytes) - 1
#define CALL	    "\xe8\x10\x00\x00\x00"

static const struct {
	const char *what;
	const uint8_t *code;
	size_t length;
	size_t call; /* where it calls, from its beginning */
	unsigned wanted, handed;
} bodies[] = {
    /* push %rbp; mov %rsp,%rbp; sub $32,%rsp; mov %rdi,-24(%rbp); mov -24(%rbp),%rax;
       mov %rax,%rdi; call */
    {"-O0",
	CODE("\x55\x48\x89\xe5\x48\x83\xec\x20\x48\x89\x7d\xe8\x48\x8b\x45\xe8\x48\x89\xc7" CALL),
	19, 1, 1},
    /* the same for an int, with cltq */
    {"-O0 of an int",
	CODE("\x55\x48\x89\xe5\x48\x83\xec\x20\x89\x7d\xec\x8b\x45\xec\x48\x98\x48\x89\xc7" CALL),
	19, 1, 1},
    /* sub $8,%rsp; call */
    {"-O2", CODE("\x48\x83\xec\x08" CALL), 4, 7, 7},
    /* push %rbx; mov %rdi,%rbx; call *nothing*; mov %rbx,%rdi; call */
    {"another call before", CODE("\x53\x48\x89\xfb" CALL "\x48\x89\xdf" CALL), 12, 1, 1},
    /* call; call: the first may have changed rdi */
    {"changed by a call", CODE("\x48\x83\xec\x08" CALL CALL), 9, 1, 0},
    /* mov %rdi,%rsi; mov $1,%edi; call: calloc(1, n) */
    {"with a constant", CODE("\x48\x89\xfe\xbf\x01\x00\x00\x00" CALL), 8, 3, 1},
    /* mov $16,%edi; call: a size of its own, and rsi is left over from the caller */
    {"only a constant", CODE("\xbf\x10\x00\x00\x00" CALL), 5, 1, 0},
    /* add $1,%rdi; call */
    {"computed", CODE("\x48\x83\xc7\x01" CALL), 4, 1, 0},
    /* shl $3,%rdi; call */
    {"shifted", CODE("\x48\xc1\xe7\x03" CALL), 4, 1, 0},
    /* mov (%rdi),%rdi; call */
    {"loaded", CODE("\x48\x8b\x3f" CALL), 3, 1, 0},
    /* test %rdi,%rdi; je +5; call */
    {"after a condition", CODE("\x48\x85\xff\x74\x05" CALL), 5, 1, 1},
    /* xchg %rdi,%rsi through rax; call: both, the other way round */
    {"swapped", CODE("\x48\x89\xf8\x48\x89\xf7\x48\x89\xc6" CALL), 9, 3, 3},
    /* mov %rsi,%rdi; call: its second argument is the size */
    {"shifted by one place", CODE("\x48\x89\xf7" CALL), 3, 1, 2},
    /* jmp -2; call */
    {"a loop", CODE("\x75\xfe" CALL), 2, 1, 0},
    {"bytes that are no instruction", CODE("\x06" CALL), 1, 1, 0},
    {"a call that is not there", CODE("\x48\x83\xec\x08" CALL), 3, 1, 0},
};

START_TEST(an_argument_is_handed_on_if_it_reaches_the_call_as_it_came)
{
	for (size_t i = 0; i < sizeof(bodies) / sizeof(*bodies); i++)
		ck_assert_msg(forwards_arguments(bodies[i].code, bodies[i].length, ENTRY,
				  ENTRY + bodies[i].call, bodies[i].wanted) == bodies[i].handed,
		    "%s", bodies[i].what);
}
END_TEST

int main(void)
{
	const TTest *const tests[] = {
	    an_argument_is_handed_on_if_it_reaches_the_call_as_it_came,
	    NULL,
	};

	return run_tests("forwards", tests, NULL, NULL);
}
