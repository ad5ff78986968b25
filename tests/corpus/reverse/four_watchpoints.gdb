# All debug registers taken by gdb: the software PMU has none left and must still count right.
# program: many_watch
# expect: stops 12
# expect: two changes back 31 32 23 24
set pagination off
set confirm off
break main
continue
delete
watch -l four[0]
watch -l four[1]
watch -l four[2]
watch -l four[3]
set $stops = 0
while four[3] != 34
	continue
	set $stops = $stops + 1
end
printf "stops %d\n", $stops
reverse-continue
reverse-continue
printf "two changes back %d %d %d %d\n", four[0], four[1], four[2], four[3]
