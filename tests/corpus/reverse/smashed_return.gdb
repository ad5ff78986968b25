# A return to an address that cannot be is reported at the return, with its frame.
# program: smashed_return
# expect: SIGSEGV
# expect: => 0x[0-9a-f]* <overrun[+][0-9]*>:	ret
# expect: #0 .* in overrun
# expect: => 0x[0-9a-f]* <overrun[+][0-9]*>:	ret
set confirm off
set debuginfod enabled off
continue
x/i $pc
backtrace
reverse-stepi
stepi
x/i $pc
