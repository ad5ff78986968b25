# A hardware breakpoint, forward and backward, with a read watchpoint between.
# program: many_watch
# expect: Hardware assisted breakpoint
# expect: hit [1-9]
# expect: Hardware (access .read/write.|read) watchpoint
# expect: read at [1-9]
# expect: again at main
set pagination off
set confirm off
hbreak main
continue
printf "hit %d\n", $_isvoid($_exitcode)
break exit
continue
rwatch four[2]
reverse-continue
reverse-continue
printf "read at %d\n", $pc != 0
delete
hbreak main
reverse-continue
frame function main
printf "again at main\n"
