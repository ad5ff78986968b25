# How strings, vectors and slices of Rust and Go are shown: what they hold, instead of the pointers that they consist
# of. And with what go.py, libcxx.py and rust.py show the others.
# gdb shows the texts of its own languages itself, but dies of a Go string that is optimized out.

import gdb
import gdb.printing

SHOWN_MAX = 4096  # bytes of a text; gdb cuts it where it cuts others
SANE_MAX = 1 << 40  # a longer one was never initialized
FIRST = ("inner.ptr.pointer.pointer", "ptr.pointer.pointer")  # of a Vec's buffer, in Rust 1.81 and before


def member(value, path):
    for name in path.split("."):
        value = value[name]
    return value


def plain_number(value):
    """In some versions of Rust, a capacity is a structure around its number."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        value = value[value.type.fields()[0]]
    return int(value)


def vector_of(value):
    """First element and length of a Vec."""
    for path in FIRST:
        try:
            start = member(value["buf"], path)
            break
        except gdb.error:
            continue
    else:
        raise gdb.GdbError("an unknown kind of Vec")
    return start.cast(value.type.template_argument(0).pointer()), plain_number(value["len"])


def one_of(value, *names):
    """The member that has one of these names: they changed from one version of its library to the next."""
    for name in names:
        try:
            return value[name]
        except gdb.error:
            continue
    raise gdb.error("its library has an unknown version")


class Text:
    def __init__(self, find):
        self.find = find

    def to_string(self):
        start, length = self.find()
        if not 0 <= length < SANE_MAX:
            raise gdb.MemoryError("it has %d bytes: uninitialized?" % length)
        count = min(length, SHOWN_MAX)
        text = bytes(gdb.selected_inferior().read_memory(int(start), count)) if count else b""
        return text.decode("utf-8", "replace")

    def display_hint(self):
        return "string"


class Elements:
    def __init__(self, name, find):
        self.name, self.find = name, find

    def to_string(self):
        return "%s of %d" % (self.name, self.find()[1])

    def children(self):
        start, length = self.find()
        if not 0 <= length < SANE_MAX:
            raise gdb.MemoryError("it has %d elements: uninitialized?" % length)
        return (("[%d]" % number, (start + number).dereference()) for number in range(length))

    def display_hint(self):
        return "array"


class Unknown:
    def to_string(self):
        return "<optimized out>"


class Plain:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        """gdb shows a pointer here without its address."""
        return "0x%x" % int(self.value) if is_pointer(self.value) else self.value


def is_pointer(value):
    return isinstance(value, gdb.Value) and value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR


class Holds:
    """A title, and what is in it by name, or in pairs."""

    def __init__(self, title, find, hint=None):
        self.title, self.find, self.hint = title, find, hint

    inside = 0  # how many of these are around what is shown now

    def to_string(self):
        return self.title

    def children(self):
        Holds.inside += 1
        try:
            yield from self.find()
        finally:
            Holds.inside -= 1

    def display_hint(self):
        return self.hint


def in_pairs(pairs):
    for number, pair in enumerate(pairs):
        yield "%d" % (2 * number), pair[0]
        yield "%d" % (2 * number + 1), pair[1]


def in_order(elements):
    return (("[%d]" % number, element) for number, element in enumerate(elements))


def rust_printer(value, name):
    if name == "alloc::string::String":
        return Text(lambda: vector_of(value["vec"]))
    if name.startswith("alloc::vec::Vec<"):
        return Elements("Vec", lambda: vector_of(value))
    if name.startswith("&[") or name.startswith("&mut ["):
        return Elements("slice", lambda: (value["data_ptr"], int(value["length"])))
    return rust_container(value, name)


def go_printer(value, name):
    kind = value.type.strip_typedefs()
    names = [field.name for field in kind.fields()] if kind.code == gdb.TYPE_CODE_STRUCT else []
    # a structure of C can have that name, too, but not these bytes
    if name == "string" and names == ["str", "len"] and str(value["str"].type) == "uint8 *":
        return Text(lambda: (value["str"], int(value["len"])))
    if name.startswith("[]") and names == ["array", "len", "cap"]:
        return Elements(name, lambda: (value["array"], int(value["len"])))
    return go_container(value)


RUST_NAMES = ("alloc::", "&", "std::", "core::cell::", "hashbrown::")


class Languages(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("rr-languages")

    def __call__(self, value):
        if value.type.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_PTR, gdb.TYPE_CODE_TYPEDEF):
            return None  # at once: gdb asks for each element of an array
        kind = value.type.strip_typedefs()
        name = value.type.name or ""
        if kind.code == gdb.TYPE_CODE_PTR and not is_map(kind.target()):
            return None
        if (kind.tag or "").startswith(("std::", "__gnu_cxx::")):
            printer = cxx_printer(value) or kept_printer(value)
            if printer:
                return printer
        if kind.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_PTR):
            return None
        known = rust_printer if name.startswith(RUST_NAMES) else go_printer
        printer = known(value, name)
        return Unknown() if printer and value.is_optimized_out else printer


def load_printers():
    gdb.printing.register_pretty_printer(None, Languages())
