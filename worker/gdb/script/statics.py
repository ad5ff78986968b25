# Whose variable a name is, which no other command of gdb tells; ambiguous_statics.c asks.

import gdb

NO_VALUES = (gdb.SYMBOL_LOC_TYPEDEF, gdb.SYMBOL_LOC_BLOCK, gdb.SYMBOL_LOC_LABEL)


def rr_whose(symbol):
    objfile = symbol.symtab.objfile
    return (objfile.owner or objfile).filename


def rr_knows(block, name):
    while block is not None and not block.is_global:
        if any(symbol.name == name for symbol in block):
            return True
        block = block.static_block if block.function else block.superblock
    return False


def rr_is_value(symbol):
    return symbol.addr_class not in NO_VALUES


def rr_check(name, block, homes):
    """Prints the name and files that have a variable of it, if it is not clear which one is meant."""
    found = gdb.lookup_symbol(name, block)[0] if block else gdb.lookup_static_symbol(name)
    if found is None or not rr_is_value(found):
        return
    name = found.name  # with its namespaces
    if found.needs_frame or gdb.lookup_global_symbol(name) or rr_knows(block, name):
        return
    every = [s for s in gdb.lookup_static_symbols(name) if rr_is_value(s)]
    if not every:
        return
    near = {(s.symtab.filename, s.line) for s in every if rr_whose(s) in homes}
    files = sorted({s.symtab.filename.split("/")[-1] for s in every})
    if len(near) != 1:
        print("rr-ambiguous " + name, ", ".join(files[:4]))


def rr_check_all(*names):
    frame = gdb.selected_frame()
    homes = {gdb.current_progspace().filename}
    try:
        block = frame.block()
    except RuntimeError:
        block = None
    if frame.function():
        homes.add(rr_whose(frame.function()))
    for name in names:
        rr_check(name, block, homes)
