# rr's ticks across code with a known number of conditional branches: 100 + 50 + 16 + 3 + 10 + 5.
# Whether run through or stepped, forward or back, the answer is the same.
# program: known_branches
# expect: ^run 184$
# expect: ^back 0$
# expect: ^stepped 184$
set pagination off
set confirm off
python
def ticks():
    return int(gdb.execute("when-ticks", to_string=True).split()[-1])
end
break *measure_begin
break *measure_end
continue
python begin = ticks()
continue
python print("run", ticks() - begin)
reverse-continue
python print("back", ticks() - begin)
python
while gdb.selected_frame().pc() != int(gdb.parse_and_eval("(long)&measure_end")):
    gdb.execute("stepi", to_string=True)
print("stepped", ticks() - begin)
end
