# From the crash back to the write that did the damage.
# program: list_corruption
# expect: Program received signal SIGSEGV
# expect: report_total
# expect: Hardware watchpoint .*sessions\[3\]\.next
# expect: Old value = .*0x6553f
# expect: session_touch .*kind=KIND_FILE
# expect: last_seen.place. = clock_seconds
set pagination off
set confirm off
continue
backtrace 2
watch -l sessions[3].next
# The first stop in reverse is the signal again.
reverse-continue
reverse-continue
frame
