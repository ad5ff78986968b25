# Where the passes of an inlined function, or of a line in one, begin; inlined.c asks. gdb takes the first address of a
# copy, or of the line: an instruction that the compiler moved out of a loop, or one of several ways in (gdb 13 to 16).
# The line table of C and C++ marks where statements begin, in their order (GCC 8 and later). A pass begins at a
# statement of the function that is reached from one of another: all ways from the entry of the function around it are
# followed. Must say nothing where they cannot be.

import collections
import re
import gdb

INSTRUCTIONS_MAX = 20000
TABLE_MAX = 8 << 20  # of a line table
CHUNK = 40  # instructions
OUTSIDE, INSIDE, LOST = 1, 2, 4  # where the statement before lies; lost: it was not followed, as to a landing pad
NO_RETURN = re.compile(r"<(abort|_?exit|__assert\w*|__stack_chk_fail\w*|__chk_fail|__cxa_throw|__cxa_rethrow|"
                       r"_Unwind_Resume|_Gfortran_stop\w*|_Gfortran_runtime_error\w*|_ZSt9terminatev|_ZSt\d+__throw\w*|"
                       r"longjmp|siglongjmp|__longjmp_chk|pthread_exit|err|errx|verr|verrx)(@plt)?>")
TABLE_ROW = re.compile(r"^\s*\d+\s+(\d+|END)\s+(0x[0-9a-f]+)(?:\s+0x[0-9a-f]+)?\s*(Y?)", re.M)


class NotKnown(Exception):
    pass


REAL = {}  # by place and name: whether blocks are functions that were not inlined


def is_real(block):
    """Functions can be nested in others: a symbol begins where one does. Inlined code has none, unless it is the
    beginning of the function around it."""
    key = block.start, block.end, block.function.name
    if key not in REAL:
        outer = block.superblock
        while outer is not None and outer.function is None:
            outer = outer.superblock
        said = gdb.execute("info symbol 0x%x" % block.start, to_string=True).partition(" in section")
        begins = bool(said[1]) and " + " not in said[0]
        REAL[key] = begins and (outer is None or outer.start != block.start)
    return REAL[key]


def chain(pc):
    """The blocks of functions around an address, the innermost first, up to one that was not inlined."""
    block, found = gdb.block_for_pc(pc), []
    while block is not None and not block.is_global and not block.is_static:
        if block.function is not None:
            found.append(block)
            if is_real(block):
                break
        block = block.superblock
    return found


def is_of(block, name):
    return name in (block.function.print_name, block.function.name)


class Statements:
    """Those of one function with all that is inlined into it, {address: [(file, line, begins)]}, and its code."""

    def __init__(self, around):
        self.around, self.arch = around, gdb.selected_inferior().architecture()
        self.known, self.flows, self.rows, self.ends, self.jumps = {}, {}, {}, {}, []
        self.entry = int(around.function.value().address)
        self.follow([self.entry])
        self.read_rows()
        self.lost = [pc for pc in self.rows if pc not in self.flows]
        self.follow(list(self.lost))
        self.order()
        self.joined = collections.Counter(way for ways in self.flows.values() for way in ways)

    def has(self, pc):
        return any((block.start, block.end) == (self.around.start, self.around.end) for block in chain(pc))

    def instruction(self, pc):
        if pc not in self.known:
            for row in self.arch.disassemble(pc, pc + 15 * CHUNK, CHUNK):
                self.known.setdefault(row["addr"], row)
        return self.known[pc]

    def next(self, pc):
        row = self.instruction(pc)
        words = re.sub(r"^((bnd|notrack|cs|ds|rex\S*|repz?|data16) )*", "", row["asm"]).split()
        name, behind = words[0], pc + row["length"]
        if name.startswith(("ret", "hlt", "ud2")):
            return []
        if name.startswith("call"):
            return [] if NO_RETURN.search(row["asm"]) else [behind]
        if name[0] != "j" and not name.startswith("loop"):
            return [behind]
        if words[1].startswith("*"):
            self.jumps.append(pc)
            return []
        target = int(words[1].split(",")[0], 16)
        ways = [target] if self.has(target) else []
        return ways if name.startswith("jmp") else ways + [behind]

    def follow(self, ways):
        while ways:
            pc = ways.pop()
            if pc in self.flows:
                continue
            if len(self.flows) == INSTRUCTIONS_MAX:
                raise NotKnown("it is too long")
            self.flows[pc] = self.next(pc)
            ways += self.flows[pc]

    def read_rows(self):
        places = {}
        for pc in self.flows:
            symtab = gdb.find_pc_line(pc).symtab
            if symtab is not None:
                places[symtab.fullname()] = symtab
        for full, symtab in places.items():
            self.read_file(full, symtab)

    def read_file(self, full, symtab):
        name = symtab.filename.split("/")[-1]
        text = gdb.execute("maintenance info line-table %s$" % re.sub(r"[^\w/]", ".", name), to_string=True)
        if len(text) > TABLE_MAX:
            raise NotKnown("its line table is too long")
        for part in text.split("symtab: ")[1:]:
            if part.split(" ((struct")[0].split("/")[-1] != name:
                continue
            for line, address, begins in TABLE_ROW.findall(part):
                pc, number = int(address, 16), 0 if line == "END" else int(line)
                if pc in self.flows or self.has(pc) or not number:
                    self.ends.setdefault(full, {})[pc] = number
                    if number:
                        self.rows.setdefault(pc, []).append((full, number, bool(begins)))

    def order(self):
        """Which line each instruction belongs to. gdb has the lines by file: that one's are the last of an address."""
        self.line = {}
        for full, ends in self.ends.items():
            now, marks = 0, sorted(ends)
            for pc in sorted(self.flows):
                while marks and marks[0] <= pc:
                    now = ends[marks.pop(0)]
                if now:
                    self.line[pc] = (full, now)
        for pc, rows in self.rows.items():
            rows.sort(key=lambda row: row[0] == self.line.get(pc, (None,))[0])


MARKS = re.compile(r"GNU (?:C|C\+\+|GIMPLE)\d* (\d+)")


def makers_of(around):
    name = around.function.symtab.filename.split("/")[-1]
    text = gdb.execute("maintenance info symtabs %s$" % re.sub(r"[^\w/]", ".", name), to_string=True)
    return re.findall(r"producer (.*)", text)


def is_marked(around):
    """Whether its compiler marks where statements begin, in their order. GCC does so in C and C++ (or both, linked
    with -flto); of other languages it marks every place where a line goes on."""
    makers = [MARKS.match(maker) for maker in makers_of(around)]
    return bool(makers) and all(maker and int(maker.group(1)) >= 8 for maker in makers)


class Copies:
    """Those of one function in another one. With a line: what matters of them is that line."""

    def __init__(self, statements, name, line):
        self.statements, self.name, self.line = statements, name, line
        own, within, other = set(), set(), set()
        self.found, self.is_around = False, is_of(statements.around, name)
        self.file = None
        for pc, place in statements.line.items():
            around = [block for block in self.blocks(pc) if is_of(block, name)]
            self.found |= bool(around)
            self.file = around[-1].function.symtab.fullname() if around else self.file
            (own if around and is_of(chain(pc)[0], name) else within if around else other).add(place)
        self.other, self.within = other, within - other - own
        # code of a header without a block of its own counts as the function's, and stands elsewhere, too
        self.own = {place for place in own - other if place[0] == self.file}
        if self.own:
            lines = [number for _, number in self.own]
            self.first, self.last = min(lines), max(lines)

    def blocks(self, pc):
        return chain(pc) if self.is_around else chain(pc)[:-1]

    def kind(self, place):
        """INSIDE, OUTSIDE, or 0 for code that is inlined into these copies."""
        if place[0] == self.file and self.first <= place[1] <= self.last and place not in self.other:
            return INSIDE if not self.line or place[1] == self.line else OUTSIDE
        return 0 if place in self.within else OUTSIDE

    def pass_through(self, pc, states):
        """What is behind an instruction, and what was before its statements of the copies."""
        before = 0
        for file, line, begins in self.statements.rows.get(pc, []):
            kind = self.kind((file, line)) if begins else 0
            if kind == INSIDE and not before:
                before = states
            states = kind or states
        return states, before

    def next(self, pc):
        """Behind a jump through a table may be all that was not reached otherwise."""
        return self.statements.lost if pc in self.statements.jumps else self.statements.flows[pc]

    def begins(self):
        """The addresses."""
        flow, states, befores = self.statements, {}, {}
        todo = [(flow.entry, OUTSIDE)] + ([] if flow.jumps else [(pc, LOST) for pc in flow.lost])
        if not self.own:
            raise NotKnown("its lines are those of the function around it too")
        while todo:
            pc, state = todo.pop()
            if states.get(pc, 0) | state == states.get(pc, 0):
                continue
            states[pc] = states.get(pc, 0) | state
            behind, befores[pc] = self.pass_through(pc, states[pc])
            todo += [(way, behind) for way in self.next(pc)]
        found = [pc for pc, before in befores.items() if before & OUTSIDE]
        if not found:
            raise NotKnown("none of its statements is left there")
        if any(befores[pc] != OUTSIDE for pc in found) or any(before & LOST for before in befores.values()):
            raise NotKnown("a pass cannot be told from a loop in it")
        return [self.where_seen(pc) for pc in found]

    def where_seen(self, pc):
        """A statement may begin before its block does: there gdb shows neither its frame nor its arguments. Every
        pass comes to the next instructions as well, up to a branch, a call, or a place where others join."""
        now, flow = pc, self.statements
        for _ in range(CHUNK):
            if any(is_of(block, self.name) for block in self.blocks(now)):
                return now
            ways = flow.flows[now]
            if len(ways) != 1 or flow.joined[ways[0]] != 1 or ways[0] != now + flow.instruction(now)["length"] or \
                    "call" in flow.instruction(now)["asm"]:
                return pc
            now = ways[0]
        return pc


def copies_of(around, name, line, known):
    key = around[-1].start, around[-1].end
    if not is_marked(around[-1]):
        raise NotKnown("its compiler does not tell where its statements begin")
    if key not in known:
        known[key] = Statements(around[-1])
    return Copies(known[key], name, line)


def begins_at(pc, name, line, known, moved):
    """Where passes of one of gdb's places begin, and whether it is of inlined code, or was moved."""
    around = chain(pc)
    inside = any(is_of(block, name) for block in around[:-1])
    if not around or (not inside and not moved and (line or is_of(around[-1], name))):
        return [pc], False
    try:
        copies = copies_of(around, name, line, known)
    except NotKnown:
        if inside and not moved:
            raise
        return [pc], moved
    return (copies.begins(), True) if copies.found else ([pc], moved)


def is_cold_part(pc, place, line):
    """Whether gdb has moved a line's place to the beginning of its function: it takes all of the function's code that
    lies in front of it for the beginning (13 to 16, skip_prologue_sal). There compilers put what seldom runs."""
    around, function = chain(pc), chain(place)
    return bool(around and function) and around[-1].start == function[-1].start and \
        pc < int(around[-1].function.value().address) <= place and gdb.find_pc_line(place).line != line


def as_written(location, line, places):
    """gdb's places: address, name of the function, whether gdb had moved it."""
    rows = gdb.decode_line(location)[1] if line else []
    pcs = [row.pc for row in rows or [] if row.pc and row.line == line]
    for place, name in places:
        cold = [pc for pc in pcs if is_cold_part(pc, place, line)]
        if cold:
            yield cold[0], chain(cold[0])[0].function.name, True
        else:
            yield place, name, False


def rr_inlined(location, line, places):
    """Prints "rr-inlined" and the addresses, or "rr-inlined-unknown" and why, or nothing if none of it is inlined."""
    begins, known, seen = set(), {}, False
    try:
        for pc, name, moved in as_written(location, line, places):
            found, inlined = begins_at(pc, name, line, known, moved)
            begins |= set(found)
            seen |= inlined
    except (NotKnown, gdb.error, RuntimeError, KeyError, ValueError, IndexError) as why:
        print("rr-inlined-unknown", why)
        return
    if seen:
        print("rr-inlined", *("0x%x" % pc for pc in sorted(begins)))


def rr_inlined_level(name):
    """Prints the level of the frame of the inlined function of that name. No name: of what is not inlined."""
    frame, level = gdb.newest_frame(), 0
    while frame is not None:
        real, function = frame.type() != gdb.INLINE_FRAME, frame.function()
        if function is not None and function.name == name if name else real:
            print(level)
            return
        frame, level = None if real else frame.older(), level + 1


def rr_inlined_around(location):
    """Prints the level of the function that a location names, where code that is inlined into it begins with it."""
    frame, level = gdb.newest_frame(), 0
    while frame is not None:
        name = frame.function() is not None and frame.function().print_name.partition("(")[0] or ""
        if name == location or name.endswith("::" + location):
            print(level)
            return
        frame, level = None if frame.type() != gdb.INLINE_FRAME else frame.older(), level + 1


def rr_inlined_at(pc, name):
    """Prints the function of that name that is inlined at an address, and its file. No name: that of the frame."""
    if not name:
        frame = gdb.selected_frame()
        found = [frame.function()] if frame.type() == gdb.INLINE_FRAME else []
    else:
        found = [block.function for block in chain(pc)[:-1] if is_of(block, name)]
    for function in found[:1]:
        print("rr-inlined-at %s\n%s" % (function.name, function.symtab.fullname()))


def rr_hides_inlined():
    """Prints whether gdb shows the function around an inlined one that begins where the program stands."""
    frame = gdb.newest_frame()
    print(any(str(block.function) != str(frame.function()) for block in chain(frame.pc())[:1]))


def rr_outside(name, pcs):
    """Prints those addresses that are not in it; nothing, where GCC mixes its lines with others unmarked."""
    around = chain(pcs[0])
    if around and any(maker.startswith("GNU ") and not MARKS.match(maker) for maker in makers_of(around[-1])):
        return
    outside = [pc for pc in pcs if all(block.function.name != name for block in chain(pc)[:-1])]
    print("rr-outside", *("0x%x" % pc for pc in outside))
