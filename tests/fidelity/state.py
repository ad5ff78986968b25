"""Run by gdb: goes through a program of tests/fidelity, natively or in a replay, and writes down its
state at each signal and where its handler begins, one line a fact: KIND STOP-FACT VALUE.

Environment: STATE the file to write. STATE.named is the same with the addresses named after what they lie
in (the program says what that is), so that runs at other addresses compare. START begins the run: `run`, or
nothing in a replay. BEFORE has commands to run first. SIGINFO=1 asks for siginfo as well."""

import os
import gdb

STAGE, STAGE_SIZE = 0x60000000, 0x10000
BOARD = 0x60070000
ANCHORS = BOARD + 80
AROUND_BELOW, AROUND_ABOVE = 192, 256
STOPS = 4000

out = open(os.environ["STATE"], "w")
named = open(os.environ["STATE"] + ".named", "w")
last_stop = None


def memory(address, length):
    try:
        return bytes(gdb.selected_inferior().read_memory(address, length))
    except gdb.error:
        return None


def text(data):
    return data.split(b"\0")[0].decode("latin-1")


def anchors():
    """The ranges that lie elsewhere in another run."""
    head = memory(BOARD + 80, 8)
    if head is None:
        return []
    found = []
    for i in range(min(int.from_bytes(head, "little"), 24)):
        row = memory(BOARD + 88 + 32 * i, 32)
        found.append((text(row[:16]), int.from_bytes(row[16:24], "little"),
                      int.from_bytes(row[24:], "little")))
    return found


def name(value, ranges):
    for anchor, start, end in ranges:
        if start <= value < end:
            return "%s+%#x" % (anchor, value - start)
    return "%#x" % value


def whole(value):
    return int(value) & (1 << 64) - 1


def register(frame, which):
    try:
        return frame.read_register(which)
    except (gdb.error, ValueError):
        return None


def lanes(frame, which, field):
    value = register(frame, which)
    try:
        array = value[field]
        low, high = array.type.range()
        return [whole(array[i]) for i in range(low, high + 1)]
    except (gdb.error, TypeError):
        return None


def vectors(frame):
    """Each vector register as words, in pieces that every gdb server can have or lack."""
    for i in range(32):
        zmm = lanes(frame, "zmm%d" % i, "v8_int64")
        ymm = lanes(frame, "ymm%d" % i, "v4_int64")
        xmm = lanes(frame, "xmm%d" % i, "v2_int64")
        words = zmm or ymm or xmm or []
        for title, low, high in (("xmm", 0, 2), ("ymm_high", 2, 4), ("zmm_high", 4, 8)):
            if len(words) >= high:
                yield title + str(i), words[low:high]


def scalars(frame):
    general = "rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split()
    # Not where the last x87 instruction was, and which: AMD's processors forget it at a switch of tasks.
    other = ("eflags cs ss ds es fs gs fs_base gs_base orig_rax mxcsr fctrl k0 k1 k2 k3 k4 k5 k6 k7").split()
    for which in general + other:
        value = register(frame, which)
        if value is None or value.is_optimized_out:
            continue
        try:
            yield which, whole(value)
        except gdb.error:
            continue
    for i in range(8):
        value = register(frame, "st%d" % i)
        if value is not None:
            yield "st%d" % i, value.format_string(format="x")


def siginfo():
    """rr takes the request for the beginning of a call in the program, and runs on in a copy of it until
    siginfo is written; it refuses to write, but ends the copy. Needs a stack, or rr dies."""
    if not STAGE <= whole(gdb.newest_frame().read_register("rsp")) < STAGE + STAGE_SIZE:
        return []
    try:
        info = gdb.parse_and_eval("$_siginfo")
        info.fetch_lazy()
        if not START:
            gdb.execute("maint packet qXfer:siginfo:write::0:00", to_string=True)
    except gdb.error:
        return []
    found = [(which, whole(info[which])) for which in ("si_signo", "si_errno", "si_code")]
    words = info["_sifields"]["_pad"]
    pad = [int(words[i]) & 0xffffffff for i in range(6)]
    return found + [("si_%d" % i, pad[i] | pad[i + 1] << 32) for i in (0, 2, 4)]


def around(frame):
    sp = whole(frame.read_register("rsp"))
    for offset in range(-AROUND_BELOW, AROUND_ABOVE, 8):
        data = memory(sp + offset & (1 << 64) - 1, 8)
        if data is None:
            yield "[rsp%+d]" % offset, "none"
            continue
        yield "[rsp%+d]" % offset, int.from_bytes(data, "little")


def backtrace():
    frame, level = gdb.newest_frame(), 0
    while frame is not None and level < 40:
        yield "frame%d" % level, frame.pc()
        yield "frame%d-name" % level, frame.name() or "?"
        try:
            frame, level = frame.older(), level + 1
        except gdb.error as e:
            yield "frame%d" % (level + 1), str(e)
            return


def write(kind, stop, info):
    frame, ranges = gdb.newest_frame(), anchors()
    for part in (info, scalars(frame), vectors(frame), around(frame), backtrace()):
        for fact, value in part:
            words = [value] if isinstance(value, int) else value
            plain = words if isinstance(words, str) else " ".join("%#x" % word for word in words)
            place = words if isinstance(words, str) else " ".join(name(word, ranges) for word in words)
            out.write("%s %s-%s %s\n" % (kind, stop, fact, plain))
            named.write("%s %s-%s %s\n" % (kind, stop, fact, place))


def on_stop(event):
    global last_stop
    last_stop = event


def has_ended():
    """gdb also tells of the exit of a process that it has left for its child."""
    return gdb.selected_inferior().pid == 0


def describe(event):
    """The stop's name; None for one that is none of the program's, or the end of a replay."""
    if isinstance(event, gdb.SignalEvent):
        return None if event.stop_signal == "SIGKILL" else event.stop_signal
    return "handler" if isinstance(event, gdb.BreakpointEvent) else "SIGTRAP"


def resumption(number):
    """gdb takes a SIGTRAP for its own, so one of the program's has to be passed on by its name."""
    if number == 0 and START:
        return START
    if START and last_stop is not None and describe(last_stop) == "SIGTRAP":
        return "signal SIGTRAP"
    return "continue"


def go():
    global last_stop
    number, before = 0, None
    while number < STOPS:
        command, last_stop = resumption(number), None
        try:
            gdb.execute(command, to_string=True)
        except gdb.error as e:
            out.write("end error %s\n" % str(e).split("\n")[0])
            break
        number += 1
        if last_stop is None or has_ended():
            break
        what = describe(last_stop)
        if what is None:
            break
        info = siginfo() if ASK and what != "handler" else []
        board = memory(BOARD, 64)
        kind = text(board) if board else "before"
        nth = nth + 1 if kind == before else 1
        before = kind
        write(kind or "before", "%s%d" % (what, nth), info)
    out.write("end stops %d\n" % number)


START, ASK = os.environ.get("START", ""), os.environ.get("SIGINFO") == "1"
for command in ("set pagination off", "set confirm off", "set width 0", "set print inferior-events off",
                "set debuginfod enabled off", "handle all stop print pass", "handle SIGINT stop print pass",
                "handle SIGCHLD SIGWINCH SIGURG SIGCONT nostop noprint pass"):
    gdb.execute(command, to_string=True)
for command in os.environ.get("BEFORE", "").split(";"):
    if command:
        gdb.execute(command, to_string=True)
gdb.Breakpoint("*stage_handler")
gdb.events.stop.connect(on_stop)
try:
    go()
finally:
    out.close()
    named.close()
if not START:
    gdb.execute("kill", to_string=True)
