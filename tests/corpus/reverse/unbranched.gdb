# rr's turn in a long run must not pass for the run's end: the fault is where the stack ends.
# program: unbranched
# expect: SIGSEGV
# expect: at 0x300000000000, stack 0x20000000
set pagination off
set confirm off
continue
printf "at %p, stack %p\n", $pc, $sp
