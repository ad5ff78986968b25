#!/bin/sh
# Reads the result of a shell command (a PostToolUse or PostToolUseFailure event on standard input). If the
# output shows that a native program crashed, tells the model that it can record the crash.
# Must never fail or block: whatever it reads, it exits with 0 and prints one JSON object or nothing.
set -u
LC_ALL=C
export LC_ALL

# Reads only the end of a long output, because that is where a crash is reported.
event=$(tail -c 200000 | tr '\n' ' ')

# The command itself may contain any of the words, so only the text after the result's key counts. That
# key is tool_response if the command succeeded, and error if it failed.
case $event in
*'"hook_event_name":"PostToolUseFailure"'*) name=PostToolUseFailure answer=${event##*\"error\":} ;;
*'"hook_event_name":"PostToolUse"'*) name=PostToolUse answer=${event##*\"tool_response\":} ;;
*) exit 0 ;;
esac
[ "$answer" != "$event" ] || exit 0

# Commands that only show text cannot crash a program, and rr already records.
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
	"A native program crashed in this command. rr_record runs it again and keeps a recording. rr_crash_report shows the crash in that recording, and rr_last_change finds the write of a bad value. The skill debug-crash has the steps. If the program does not crash every time, use rr_record_until."
