# The functions of an allocator that the client has named: where each begins, and which register has its size or its
# block then; heap_pools.c asks. Behind inlined.py. Must say nothing of a function whose arguments may be
# elsewhere.

import re
import gdb

POOL_REGISTERS = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"]
CLONE = re.compile(r"\.(?:isra|constprop|part)\b")


def rr_bare(name):
    """Without arguments, of the function and of templates."""
    name, depth = name.replace("operator()", "operator call"), 0
    kept = []
    for letter in name.replace("(anonymous namespace)", "{anonymous}"):
        depth -= letter in ">)"
        if depth == 0 and letter not in ">)":
            kept.append("" if letter in "<(" else letter)
        depth += letter in "<("
    return "".join(kept).strip()


def rr_is_named(block, name):
    bare, wanted = rr_bare(block.function.print_name), rr_bare(name)
    return bare == wanted or bare.endswith("::" + wanted)


def rr_symbol(pc):
    """The symbol's name and where it begins."""
    said = gdb.execute("info symbol 0x%x" % pc, to_string=True).partition(" in section")
    if not said[1]:
        return "", pc
    name, _, offset = said[0].partition(" + ")
    return name, pc - int(offset or 0)


def rr_registers(kind):
    """How many integer registers an argument takes; None: that is not known."""
    kind = kind.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_FLT:
        return 0
    whole = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_PTR,
             gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF)
    return 1 if kind.code in whole and kind.sizeof <= 8 else None


def rr_register_at(entry, name):
    """The register in which the variable is there, where the compiler says so."""
    text = gdb.execute("info scope *0x%x" % entry, to_string=True)
    part = re.search(r"Symbol %s is multi-location:\n((?:  .*\n)*)" % re.escape(name), text)
    for low, high, reg in re.findall(r"Range 0x([0-9a-f]+)-0x([0-9a-f]+): a variable in \$(\w+)",
                                     part.group(1) if part else ""):
        if int(low, 16) <= entry < int(high, 16):
            return reg
    return None


def rr_argument(block, entry, number):
    """The register and the width of an argument, not counting `this`; 0: none is wanted."""
    if number == 0:
        return "0\t8\t"
    arguments = [symbol for symbol in block if symbol.is_argument]
    wanted = [symbol for symbol in arguments if not (symbol.is_artificial if hasattr(symbol, "is_artificial")
                                                     else symbol.name == "this")]
    if number > len(wanted):
        return "0\t0\tit has %d argument%s" % (len(wanted), "" if len(wanted) == 1 else "s")
    used = 0
    for symbol in arguments:
        count = rr_registers(symbol.type)
        if symbol is wanted[number - 1]:
            break
        if count is None:
            return "0\t0\tit takes a value before that in a way that is not known"
        used += count
    if count != 1 or used >= len(POOL_REGISTERS):
        return "0\t0\targument %d is not in a register" % number
    place = rr_register_at(entry, symbol.name)
    if place and place != POOL_REGISTERS[used]:
        return "0\t0\tthe compiler has changed how its arguments are passed"
    return "%d\t%d\t" % (used, symbol.type.strip_typedefs().sizeof)


def rr_has_pool(block):
    """Whether its first argument may be the pool: a pointer."""
    kinds = [symbol.type.strip_typedefs().code for symbol in block if symbol.is_argument]
    return bool(kinds) and kinds[0] in (gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_REF)


def rr_without_types(name, number, given):
    if "::" in name and not given and number:
        return "0\t0\twithout debug information its arguments are not known: give NAME:N, where an object is the first"
    if number > len(POOL_REGISTERS):
        return "0\t0\targument %d is not in a register" % number
    return "%d\t8\t" % (number - 1 if number else 0)


def rr_function(pc, name, number, given):
    """What is at one place that has the name: where a function begins, or around which one it is inlined."""
    blocks = chain(pc)
    if not blocks:
        symbol, entry = rr_symbol(pc)
        if not symbol or "@plt" in symbol:
            return None
        if CLONE.search(symbol) and number:
            return "0x%x\t0\t0\t0\tthe compiler has changed how its arguments are passed (%s)" % (entry, symbol)
        return "0x%x\t1\t%s" % (entry, rr_without_types(name, number, given))
    around = blocks[-1]
    named = [block for block in blocks if rr_is_named(block, name)]  # none: it is an alias
    if not is_real(around) or (named and named[-1] is not around):
        return "inlined\t0\t0\t0\t%s" % rr_bare(around.function.print_name)
    entry = int(around.function.value().address)
    symbol = rr_symbol(entry)[0]
    if ".part" in symbol:
        return "inlined\t0\t0\t0\t%s" % symbol
    if CLONE.search(symbol) and number:
        return "0x%x\t0\t0\t0\tthe compiler has changed how its arguments are passed (%s)" % (entry, symbol)
    return "0x%x\t%d\t%s" % (entry, rr_has_pool(around), rr_argument(around, entry, number))


def rr_pool(name, number, given):
    """Prints a line for each place that has the name. number: of the argument that is wanted, or 0."""
    try:
        places = gdb.decode_line(name)[1] or ()
    except gdb.error:
        return
    for found in sorted({rr_function(place.pc, name, number, given) for place in places} - {None}):
        print("rr-said", found, sep="\t")
