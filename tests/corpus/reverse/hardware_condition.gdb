# A hardware breakpoint with a condition, forward and backward. The last call is the 64th.
# program: conditional
# expect: Hardware assisted breakpoint
# expect: at 3 of 64$
# expect: at 45 of 64$
# expect: at 59 of 64$
# expect: back at 45 of 64$
# expect: back at 3 of 64$
# expect: never back
set pagination off
set confirm off
break main
continue
hbreak pass if nth % 14 == 3 && nth != 17 && nth != 31
continue
printf "at %d of 64\n", nth
continue
printf "at %d of 64\n", nth
continue
printf "at %d of 64\n", nth
reverse-continue
printf "back at %d of 64\n", nth
reverse-continue
printf "back at %d of 64\n", nth
delete 1
hbreak pass if nth < 0
delete 2
reverse-continue
printf "never back %d\n", $pc == 0
