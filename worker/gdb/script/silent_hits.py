# A watchpoint that notes its hits without stopping; silent_hits.c sets it. gdb asks the method `stop` whether it
# stops. It says no where it has noted all that a row needs: the moment and its sum (as fingerprint.c makes it), and
# the two values. It stops all the same at times, so that the search can tell how far it is. A value that needs more
# memory than its own could be shown otherwise later: only numbers and plain pointers.

import time
import gdb

ROW = "rr-silent-hits "
KINDS = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_PTR)
REGISTERS = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15".split()
WORD = 0xFFFFFFFFFFFFFFFF


class rr_silent_hits(gdb.Breakpoint):
    def __init__(self, place):
        value = gdb.parse_and_eval(place)
        plain = value.type.strip_typedefs()
        if plain.code not in KINDS:
            raise gdb.GdbError("not a number")
        self.prefix = ""
        if plain.code == gdb.TYPE_CODE_PTR:
            if plain.target().strip_typedefs().sizeof == 1:
                raise gdb.GdbError("a string")
            self.prefix = "(%s) " % value.type
        gdb.set_convenience_variable("rr_tallied", value.address)
        super().__init__("*$rr_tallied", gdb.BP_WATCHPOINT, gdb.WP_WRITE)
        self.pointer, self.known = value.address, set()
        if self.type != gdb.BP_HARDWARE_WATCHPOINT:
            self.delete()
        else:
            print(ROW + "%d" % self.number)

    def begin(self, until):
        self.begun, self.until, self.rows = time.monotonic(), until, []
        self.old = self.text()

    def text(self):
        return (self.prefix + str(self.pointer.dereference())).replace("\n", " ").replace("\t", " ")

    def when(self, command):
        said = gdb.execute(command, to_string=True)
        return int(said.split(":")[1].split()[0]) + said.startswith("Completed event")

    def sum(self, frame):
        text = "".join("0x%x" % (int(frame.read_register(name)) & WORD) for name in REGISTERS)
        sp = int(frame.read_register("rsp")) & WORD
        text += bytes(gdb.selected_inferior().read_memory(sp, 128)).hex()
        sum = 2166136261
        for byte in text.encode():
            sum = (sum ^ byte) * 16777619 & 0xFFFFFFFF
        return sum or 1

    def stop(self):
        old, self.old = self.old, self.text()
        frame = gdb.newest_frame()
        late = len(self.rows) == 100 or time.monotonic() - self.begun > 0.25
        if late or frame.pc() not in self.known:
            return True
        event = self.when("when")
        if self.until and event >= self.until:
            return True
        here = (event, self.when("when-ticks"), gdb.selected_thread().ptid[1], frame.pc(), self.sum(frame))
        # With append, an interrupt could come before the return.
        self.rows += ["%d %d %d %x %x\t" % here + old + "\t" + self.old]
        return False

    def know(self, value):
        if self.old != value:
            raise gdb.GdbError("shown otherwise")
        self.known.add(gdb.newest_frame().pc())

    def take(self):
        for row in self.rows:
            print(ROW + row)
        self.begun, self.rows = time.monotonic(), []
