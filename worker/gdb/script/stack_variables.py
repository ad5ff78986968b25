# The local variable that has an address in it, the function whose return address is in a place of the
# stack, and the place of an instruction, for unwritten.c. Behind
# parts.py.

import gdb

FRAMES_MAX = 40


def rr_in_block(frame, block, address):
    while block is not None:
        for symbol in block:
            if not (symbol.is_variable or symbol.is_argument):
                continue
            try:
                value = symbol.value(frame)
                start = value.address
            except (gdb.error, RuntimeError):
                continue
            if start is None or value.is_optimized_out or value.type.code == gdb.TYPE_CODE_REF:
                continue
            offset = address - int(start)
            if 0 <= offset < value.type.sizeof:
                return symbol, rr_part(value.type, offset)[0]
        if block.function is not None:
            return None
        block = block.superblock
    return None


def rr_variable_at(address):
    """The frame, the symbol and the part of it that is there."""
    frame = gdb.newest_frame()
    for level in range(FRAMES_MAX):
        if frame is None:
            return None
        try:
            found = rr_in_block(frame, frame.block(), address)
        except RuntimeError:
            found = None
        if found:
            return (frame,) + found
        frame = frame.older()
    return None


def rr_same_variable(one, other):
    """Prints whether both addresses are in one variable."""
    first, second = rr_variable_at(one), rr_variable_at(other)
    same = first and second and first[0] == second[0] and first[1].name == second[1].name and \
        first[1].line == second[1].line
    print("rr-said", "same" if same else "other", sep="\t")


def rr_variable(address):
    """Prints its function, where it is declared, and its name."""
    found = rr_variable_at(address)
    if found:
        frame, symbol, part = found
        place = "%s:%d" % (symbol.symtab.filename, symbol.line) if symbol.symtab else "?"
        print("rr-said", frame.name() or "?", place, symbol.name + part, sep="\t")


def rr_return_address(slot):
    """Prints the function whose return address the unwinder takes from there."""
    frame = gdb.newest_frame()
    for level in range(FRAMES_MAX):
        older = frame.older()
        if older is None:
            return
        if frame.type() == gdb.NORMAL_FRAME and int(older.read_register("rsp")) - 8 == slot:
            saved = gdb.selected_inferior().read_memory(slot, 8)
            if int.from_bytes(bytes(saved), "little") == older.pc():
                print("rr-said", frame.name() or "", sep="\t")
            return
        frame = older


def rr_place(pc):
    """Prints the function and the line of the instruction there."""
    block = gdb.block_for_pc(pc)
    while block is not None and block.function is None:
        block = block.superblock
    function = block.function if block is not None else None
    line = gdb.find_pc_line(pc)
    name = function.print_name.partition("(")[0] if function else ""
    if not name:
        said = gdb.execute("info symbol 0x%x" % pc, to_string=True)
        name = "" if said.startswith("No symbol") else said.partition(" ")[0]
    place = "%s:%d" % (line.symtab.filename, line.line) if line.symtab else ""
    print("rr-said", name, place, sep="\t")
