# Which part of a variable has a byte, for variables.py and stack_variables.py.

import gdb


def rr_covers(field, byte):
    if getattr(field, "bitpos", None) is None or not field.type.sizeof:  # a static member has no place
        return False
    bits = field.bitsize or 8 * field.type.sizeof
    return field.bitpos < 8 * byte + 8 and 8 * byte < field.bitpos + bits


def rr_step(kind, byte):
    """One step to it: what to write, the type there, the byte in that; None: no one part has it. The members of a
    union, and bit-fields that share the byte, are not told apart."""
    if kind.code == gdb.TYPE_CODE_ARRAY and kind.target().sizeof:
        number, byte = divmod(byte, kind.target().sizeof)
        return "[%d]" % number, kind.target(), byte
    if kind.code != gdb.TYPE_CODE_STRUCT:
        return None
    inside = [field for field in kind.fields() if rr_covers(field, byte)]
    if len(inside) != 1:
        return None
    field = inside[0]
    name = "." + field.name if field.name and not field.is_base_class else ""
    return name, field.type, max(byte - field.bitpos // 8, 0)


def rr_part(kind, byte, ends=lambda kind: False):
    """".head.count", "[3]", and the type there: at the latest, one at which it ends."""
    path = ""
    while not ends(kind):
        kind = kind.strip_typedefs()
        step = None if ends(kind) else rr_step(kind, byte)
        if step is None:
            break
        path, kind, byte = path + step[0], step[1], step[2]
    return path, kind
