# How objects of libstdc++ are shown while its own printers are off, as beside a write that a watchpoint saw: by their
# members, without the classes that only wrap them. Of the value on the other side of the write, gdb has kept the bytes;
# what its pointers point to is what lies there now. The library's printers would follow them, and cannot serve here: a
# text is shown only where it was this value's.

import re

HEAD = re.compile(r"std::_Head_base<(\d+)")
TEXT_SHOWN = 200  # characters, as in settings.c


def is_held(field):
    return hasattr(field, "bitpos")  # a static member has no place


def is_empty(gdb_type):
    kind = gdb_type.strip_typedefs()
    return kind.code == gdb.TYPE_CODE_STRUCT and all(is_empty(field.type) for field in kind.fields() if is_held(field))


def is_inside(gdb_type):
    """Whether it is a class of the library whose members are its own business: not a pair, for instance."""
    kind = gdb_type.strip_typedefs()
    if kind.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return False
    return (kind.tag or "std::").startswith(("std::", "__gnu_cxx::")) and all(
        field.is_base_class or (field.name or "_M_").startswith(("_M_", "_vptr"))
        for field in kind.fields() if is_held(field))


def is_string(gdb_type):
    return is_text(gdb_type) and str(bare(gdb_type).tag).endswith(">")  # not a class in it


def members(value, here):
    """Those of the object, and of what it wraps. A pointer that is another one here is shown alone."""
    for field in value.type.strip_typedefs().fields():
        if not is_held(field) or is_empty(field.type):
            continue
        part, now = value[field], here[field]
        head = HEAD.match(field.name) if field.is_base_class else None
        if head:
            yield "[%s]" % head.group(1), part["_M_head_impl"]
        elif is_inside(field.type) and not is_string(field.type):
            yield from members(part, now)
        elif is_pointer(part) and int(part) != int(now):
            yield field.name, part.cast(gdb.lookup_type("void").pointer())
        else:
            yield field.name, part


def own_characters(value, start):
    """What a short string has in itself; None: it is a long one."""
    own = value["_M_local_buf"]
    if own.address is None or int(own.address) != int(start):
        return None
    size = own.type.target().sizeof
    return [int(own[number]) & (1 << 8 * size) - 1 for number in range(own.type.sizeof // size)]


def far_characters(start, size, length):
    held = bytes(gdb.selected_inferior().read_memory(int(start), (min(length, TEXT_SHOWN) + 1) * size))
    return [int.from_bytes(held[at:at + size], "little") for at in range(0, len(held), size)]


def kept_text(value, here):
    """Of a string or a view: what it has up to a NUL, and its length if that is another one. "": it is not known. Where
    a pointer was replaced, what it pointed to may have been freed and used again: not a text of the same length."""
    start, length = text_of(value)
    character = start.type.target().unqualified().strip_typedefs()
    is_view = class_of(value.type) == "basic_string_view"
    found = None if is_view else own_characters(value, start)
    if found is not None:
        found = found[:found.index(0) + 1] if 0 in found else found
        held = b"".join(unit.to_bytes(character.sizeof, "little") for unit in found)
        text = gdb.Value(held, character.array(len(found) - 1)).format_string()
    else:
        try:
            found = far_characters(start, character.sizeof, length)
        except gdb.MemoryError:
            return ""
        text = start.cast(character.pointer()).format_string(address=False, symbols=False)
    if length <= TEXT_SHOWN and 0 in found and found.index(0) == length:
        return text
    is_other = int(text_of(here)[0]) != int(start)
    return "" if is_view or is_other else "%s (length %d)" % (text, length)


def kept_object(value, here):
    text = kept_text(value, here) if is_string(value.type) else ""
    parts = list(members(value, here))
    if text and text == kept_text(here, here):
        now = [part.format_string() for _, part in members(here, here)]
        parts = [part for part, other in zip(parts, now) if part[1].format_string() != other]
        return Holds(text + ", with other bytes", lambda: parts) if parts else Plain(text)
    if text or not parts:
        return Plain(text) if text else None
    if all(name.startswith("[") for name, _ in parts):  # a tuple has the last one first
        parts.reverse()
        return Plain(parts[0][1]) if len(parts) == 1 else Holds(None, lambda: parts)
    return Holds(None, lambda: parts)


def kept_printer(value):
    if not value.type.strip_typedefs().tag or not is_inside(value.type):
        return None
    try:
        return kept_object(value, value if value.address is None else value.address.dereference())
    except (gdb.error, RuntimeError):
        return None
