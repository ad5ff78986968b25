# Watchpoints in what string instructions write and read, a megabyte at a time, forward and back.
# program: filled
# expect: hit 1, 1048576 of them
# expect: hit 2
# expect: read by 2
# expect: hit 3
# expect: back at 3
# expect: back at 1
# expect: back at 1
set pagination off
set confirm off
break main
continue
watch area[1000001]
continue
printf "hit %d, %d of them\n", area[1000001], sizeof(area)
continue
printf "hit %d\n", area[1000001]
delete 2
rwatch other[700]
continue
printf "read by %d\n", area[0]
delete 3
watch area[7]
continue
printf "hit %d\n", area[7]
reverse-continue
printf "back at %d\n", area[1000]
reverse-continue
printf "back at %d\n", area[8]
reverse-continue
printf "back at %d\n", area[6]
