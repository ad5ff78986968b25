# Every write of a value, forward and then backward: 10 changes each way.
# program: many_watch
# expect: forward 10
# expect: backward 10
set pagination off
set confirm off
break main
continue
watch -l counter
set $forward = 0
while $_isvoid($_exitcode) && $forward < 10
	continue
	set $forward = counter
end
printf "forward %d\n", $forward
set $backward = 0
while counter > 0
	reverse-continue
	set $backward = $backward + 1
end
printf "backward %d\n", $backward
