# Goroutines of Go that run on no thread: which there are, what each waits for, and their stacks, which gdb unwinds
# itself behind an innermost frame that an unwinder of ours gives it. Writes nothing into the program.

import json
import gdb
from gdb.unwinder import Unwinder, register_unwinder

LOOKED_AT_MAX = 10000  # goroutines; each costs two reads through rr
STACK_BYTES = 16384  # of each stack, to tell those that are equal
LINKS_MAX = 128  # frames of it
NAME_MAX = 60
TOLD_MAX = 100  # different stacks, and running goroutines
TOLD_ALSO = 10  # ids of goroutines with equal stacks
SCANNED = 0x1000  # beside a status: the garbage collector looks at the stack
IDLE, RUNNABLE, RUNNING, SYSCALL, WAITING, DEAD = 0, 1, 2, 3, 4, 6
STATUSES = {RUNNABLE: "runnable", RUNNING: "running", SYSCALL: "syscall", WAITING: "waiting", 8: "copystack",
            9: "preempted"}
USERS = ("runtime.main", "runtime.handleAsyncEvent", "runtime.corostart")  # begin code of the program
FINALIZERS = ("runtime.runfinq", "runtime.runFinalizers", "runtime.runCleanups")  # run code of the program at times


def rr_global(name):
    symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    return symbol.value() if symbol else None


def rr_bytes(address, count):
    return gdb.selected_inferior().read_memory(address, count).tobytes() if count > 0 else b""


def rr_word(kept, at, size=8):
    return int.from_bytes(kept[at:at + size], "little")


def rr_text(value):
    return rr_bytes(int(value["str"]), min(int(value["len"]), NAME_MAX)).decode("utf-8", "replace")


class RrLayout:
    """Where the members of a structure are, for whoever reads it whole."""

    def __init__(self, kind, paths):
        kind = kind.strip_typedefs()
        self.size, self.places = kind.sizeof, {path: self.place(kind, path.split(".")) for path in paths}

    def place(self, kind, names):
        at = 0
        for name in names:
            field = kind[name]
            at, kind = at + field.bitpos // 8, field.type.strip_typedefs()
        while kind.code == gdb.TYPE_CODE_STRUCT:  # around an atomic number, since Go 1.20
            field = kind["value"]
            at, kind = at + field.bitpos // 8, field.type.strip_typedefs()
        return at, kind.sizeof

    def read(self, address):
        kept = rr_bytes(address, self.size)
        return {path: rr_word(kept, *place) for path, place in self.places.items()}


class RrNames:
    """Functions of addresses, and reasons to wait, each looked up once."""

    def __init__(self):
        self.functions, self.reasons = {}, {}
        self.all_reasons = rr_global("runtime.waitReasonStrings")

    def chain(self, pc):
        """The functions at an address, the innermost first: what was inlined, and what it was inlined into."""
        if pc not in self.functions:
            block, found = gdb.block_for_pc(pc), []
            while block is not None and not block.is_global:
                found += [block.function.name] if block.function is not None else []
                block = block.superblock
            self.functions[pc] = found
        return self.functions[pc]

    def function(self, pc):
        return self.chain(pc)[0] if self.chain(pc) else ""

    def outermost(self, pc):
        return self.chain(pc)[-1] if self.chain(pc) else ""

    def reason(self, number):
        if number not in self.reasons:
            try:
                self.reasons[number] = rr_text(self.all_reasons[number])
            except (gdb.error, TypeError):
                self.reasons[number] = ""
        return self.reasons[number]

    def place(self, pc):
        line, told = gdb.find_pc_line(pc), {"function": self.function(pc)}
        if line.symtab and line.line:
            told["at"] = "%s:%d" % (line.symtab.fullname(), line.line)
        return told


class RrLink:
    """A goroutine, as its structure has it."""

    def __init__(self, kept):
        self.id, self.status, self.waits = kept["goid"], kept["atomicstatus"] & ~SCANNED, kept["waitreason"]
        self.pc, self.sp, self.bp = kept["sched.pc"], kept["sched.sp"], kept["sched.bp"]
        self.go_pc, self.start, self.stack_end = kept["gopc"], kept["startpc"], kept["stack.hi"]
        self.machine = kept["m"]

    def pcs(self):
        """Where its calls return to, by the frame pointers that Go keeps; None: not all of them are known."""
        if self.pc == self.start:
            return (self.pc,)
        if not self.sp <= self.bp < self.stack_end:
            return None
        stack = rr_bytes(self.sp, min(self.stack_end - self.sp, STACK_BYTES))
        at, found = self.bp - self.sp, [self.pc]
        while len(found) < LINKS_MAX and at + 16 <= len(stack):
            found.append(rr_word(stack, at + 8))
            before, at = at, rr_word(stack, at) - self.sp
            if at == -self.sp:
                return tuple(found)
            if at <= before:
                break
        return None


class RrAll:
    """All goroutines of the program, by what its debug information says of their structures."""

    def __init__(self):
        self.kept = rr_global("runtime.allgs")
        kind = self.kept["array"].type.target().target()
        self.layout = RrLayout(kind, ("goid", "atomicstatus", "waitreason", "sched.pc", "sched.sp", "sched.bp", "gopc",
                                      "startpc", "stack.hi", "m"))
        self.threads = RrLayout(kind.strip_typedefs()["m"].type.target(), ("procid",))
        self.names, self.left = RrNames(), 0

    def links(self):
        """Those that are alive. Counts in `left` those that were not looked at."""
        count = int(self.kept["len"])
        taken = min(count, LOOKED_AT_MAX)
        self.left = count - taken
        pointers = rr_bytes(int(self.kept["array"]), 8 * taken)
        for number in range(taken):
            try:
                link = RrLink(self.layout.read(rr_word(pointers, 8 * number)))
            except gdb.error:
                self.left += 1
                continue
            if link.status not in (IDLE, DEAD):
                yield link

    def state(self, link):
        if link.status == WAITING:
            return self.names.reason(link.waits) or STATUSES[WAITING]
        return STATUSES.get(link.status, "status %d" % link.status)

    def is_hidden(self, link, pcs):
        """Whether it is the runtime's own. Finalizers are the program's, while they run."""
        start = self.names.outermost(link.start) if link.start else ""
        if start in FINALIZERS:
            return pcs is not None and all(self.names.outermost(pc - 1).startswith("runtime.") for pc in pcs)
        return start.startswith("runtime.") and start not in USERS

    def running(self, link):
        """With its thread, as the kernel numbers it."""
        tid = self.threads.read(link.machine)["procid"] if link.machine else 0
        return {"id": link.id, "state": self.state(link), "tid": tid}

    def parked(self, link):
        told = {"id": link.id, "state": self.state(link), "pc": link.pc, "sp": link.sp, "bp": link.bp, "also": []}
        if link.go_pc:
            told["by"] = self.names.place(link.go_pc - 1)
        if link.pc == link.start:
            told["begins"] = self.names.place(link.start)
        return told


def rr_goroutines():
    """Prints {parked, running, left}: of those with equal stacks, the first with the ids of the others."""
    if rr_global("runtime.allgs") is None:
        return
    known, groups, running = RrAll(), {}, []
    for link in sorted(known.links(), key=lambda link: link.id):
        pcs = None if link.status in (RUNNING, SYSCALL) else link.pcs()
        if known.is_hidden(link, pcs):
            continue
        if link.status in (RUNNING, SYSCALL):
            running.append(known.running(link))
            continue
        key = (link.status, link.waits, link.go_pc, link.start, pcs) if pcs else link.id
        if key in groups:
            groups[key]["also"].append(link.id)
        else:
            groups[key] = known.parked(link)
    parked = list(groups.values())
    known.left += sum(1 + len(group["also"]) for group in parked[TOLD_MAX:]) + len(running[TOLD_MAX:])
    for group in parked:
        group["equal"], group["also"] = len(group["also"]), group["also"][:TOLD_ALSO]
    print("rr-goroutines " + json.dumps({"parked": parked[:TOLD_MAX], "running": running[:TOLD_MAX],
                                         "left": known.left}))


class RrPlace:
    """What tells frames apart for gdb."""

    def __init__(self, sp, pc):
        self.sp, self.pc = sp, pc


class RrParked(Unwinder):
    """While it is on, the callers of the code where a thread stands are a goroutine's. gdb unwinds them as others."""

    def __init__(self):
        super().__init__("rr-goroutine")
        self.stands, self.registers, self.past_main = None, {}, False

    def __call__(self, pending):
        here = tuple(int(pending.read_register(name)) for name in ("rip", "rsp"))
        if here != self.stands:
            return None
        place = RrPlace(gdb.Value(self.registers["rsp"] - 8).cast(pending.read_register("rsp").type),
                        pending.read_register("rip"))
        unwound = pending.create_unwind_info(place)
        for name, number in self.registers.items():
            unwound.add_saved_register(name, gdb.Value(number).cast(pending.read_register(name).type))
        return unwound


RR_PARKED = RrParked()


def rr_show_goroutine(pc, sp, bp):
    """Prints how many frames are the thread's own: those of functions that were inlined where it stands."""
    rr_leave_goroutine()
    frame, count = gdb.newest_frame(), 1
    RR_PARKED.stands = tuple(int(frame.read_register(name)) for name in ("rip", "rsp"))
    RR_PARKED.registers = {"rip": pc, "rsp": sp, "rbp": bp}
    RR_PARKED.past_main = gdb.parameter("backtrace past-main")
    while frame.type() == gdb.INLINE_FRAME:
        frame, count = frame.older(), count + 1
    # gdb takes main's frame for the last one
    gdb.execute("set backtrace past-main on")
    register_unwinder(None, RR_PARKED, True)
    gdb.invalidate_cached_frames()
    print("rr-own-frames %d" % count)


def rr_leave_goroutine():
    if RR_PARKED in gdb.frame_unwinders:
        gdb.frame_unwinders.remove(RR_PARKED)
        gdb.execute("set backtrace past-main %s" % ("on" if RR_PARKED.past_main else "off"))
        gdb.invalidate_cached_frames()
