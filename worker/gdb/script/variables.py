# Which variable is at an address, and whether it is an atomic one or the code that touches it says so; race_place.c
# asks. Behind parts.py.

import gdb

ATOMIC = ("std::atomic", "std::__atomic", "std::__1::atomic", "std::__1::__atomic", "std::__cxx_atomic",
          "core::sync::atomic::", "std::sync::atomic::", "_Atomic", "atomic_")


def is_atomic(name):
    return str(name).replace("volatile ", "").replace("const ", "").startswith(ATOMIC)


def variable(address):
    said = gdb.execute("info symbol %d" % address, to_string=True).split(" in section ")
    if len(said) < 2:
        return "", False
    name, _, offset = said[0].partition(" + ")
    symbol = gdb.lookup_global_symbol(name) or gdb.lookup_static_symbol(name)
    if symbol is None or symbol.type is None or int(offset or 0) >= symbol.type.sizeof:
        return "", False
    path, kind = rr_part(symbol.type, int(offset or 0), is_atomic)
    return name + path, is_atomic(kind)


def is_atomic_code(pc):
    block = gdb.block_for_pc(pc)
    while block is not None and not block.is_static and not block.is_global:
        if block.function is not None and is_atomic(block.function.name):
            return True
        block = block.superblock
    return False


def rr_race_place(address, pcs):
    """Prints "rr-race-place", 1 if it is atomic, and the variable's name as far as that is known."""
    name, atomic = variable(address)
    print("rr-race-place", int(atomic or any(is_atomic_code(pc) for pc in pcs)), name)
