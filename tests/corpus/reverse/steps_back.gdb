# reverse-step, reverse-next, reverse-finish, a checkpoint and a jump to an event.
# program: recursion
# expect: forward #0 +sum_to \(number=3\)
# expect: number is 3
# expect: number is 4
# expect: number is 2000
# expect: Checkpoint 1
# expect: sum_to \(number=0\)
# expect: number is 2000
set pagination off
set confirm off
break sum_to if number == 3
continue
printf "forward "
frame
delete
printf "number is %u\n", number
reverse-finish
printf "number is %u\n", number
break sum_to if number == 2000
reverse-continue
printf "number is %u\n", number
delete
checkpoint
break sum_to if number == 0
continue
restart 1
printf "number is %u\n", number
