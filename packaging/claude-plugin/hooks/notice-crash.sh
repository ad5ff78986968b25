#!/bin/sh
# Reads what a shell command answered (a PostToolUse or PostToolUseFailure event on standard input) and,
# when the output shows that a native program crashed, tells the model that it can record the crash.
# Must never fail or block: whatever it reads, it exits with 0 and prints one JSON object or nothing.
set -u
LC_ALL=C
export LC_ALL

# A bound on what is looked at: the end of an output is where a crash is reported.
event=$(tail -c 200000 | tr '\n' ' ')

# The command itself may hold any of the words, so only what follows the answer's key counts. The tool
# names the output's key tool_response when the command succeeded and error when it failed.
case $event in
*'"hook_event_name":"PostToolUseFailure"'*) name=PostToolUseFailure answer=${event##*\"error\":} ;;
*'"hook_event_name":"PostToolUse"'*) name=PostToolUse answer=${event##*\"tool_response\":} ;;
*) exit 0 ;;
esac
[ "$answer" != "$event" ] || exit 0

# What only shows text, or is rr already, crashed nothing.
command=${event#*\"command\":\"}
case $command in
cat\ * | grep\ * | rg\ * | sed\ * | awk\ * | head\ * | tail\ * | less\ * | git\ * | rr\ * | rr-warden\ *) exit 0 ;;
esac

case $answer in
*'Segmentation fault'* | *'(core dumped)'* | *'AddressSanitizer:'* | *'ThreadSanitizer:'* | \
	*'UndefinedBehaviorSanitizer:'* | *'double free or corruption'* | *'free(): invalid'* | \
	*'malloc(): '* | *'corrupted size vs. prev_size'* | *'stack smashing detected'* | \
	*'terminate called after throwing'* | *'terminated by signal SIG'* | *SIGSEGV* | *SIGABRT* | *SIGBUS* | \
	*'Exit code 132'* | *'Exit code 134'* | *'Exit code 135'* | *'Exit code 136'* | *'Exit code 139'*) ;;
*) exit 0 ;;
esac

printf '{"hookSpecificOutput":{"hookEventName":"%s","additionalContext":"%s"}}\n' "$name" \
	"A native program crashed in this command. rr_record runs it again and keeps a recording; rr_crash_report on that recording shows the crash, and rr_last_change goes back from a bad value to the write that made it. The skill debug-crash has the steps. If the crash does not come every time, use rr_record_until."
