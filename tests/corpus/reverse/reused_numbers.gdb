# New tasks of the replay get the numbers of tasks that are gone, as they do in a namespace where
# the numbers come round. What the software PMU knew of those must not count for these.
# program: walks_static forks 3
# process: last
# namespace: pid
# expect: ^went there and back 5 times$
set pagination off
set confirm off
set $rounds = 0
while $rounds < 5
	shell echo 200 >/proc/sys/kernel/ns_last_pid
	run 60
	shell echo 200 >/proc/sys/kernel/ns_last_pid
	reverse-continue
	set $rounds = $rounds + 1
end
printf "went there and back %d times\n", $rounds
