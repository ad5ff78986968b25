# Containers, strings and pointers of libc++, as its debug information has them from LLVM 14 on. Nodes are read by their
# layout in the ABI: what is in them has a type that compilers leave out of the debug information of other files.
# Must stop at what no container can have: an object that was never set has any bytes.

import itertools
import re
import gdb

CXX_NAME = re.compile(r"std::(?:__[1-9]\w*|__ndk1)::(?:__fs::filesystem::)?(\w+)(?:<|$)")
MANY = 1 << 32  # elements that no container of a program here has
BLOCK = 4096  # bytes of a block of a deque
BLOCK_LEAST = 16  # elements of one
DEEP = 128  # nodes of a tree above each other


class Unset(gdb.MemoryError):
    pass


def unpaired(value):
    """A member, or the one that an empty class was packed with."""
    try:
        return value["__value_"]
    except gdb.error:
        return value


def counted(number, most=MANY):
    number = int(number)
    if not 0 <= number <= most:
        raise Unset("it has %d elements: uninitialized?" % number)
    return number


def rounded(size, gdb_type):
    align = gdb_type.alignof or 1
    return (size + align - 1) // align * align


def at_offset(address, offset, gdb_type):
    return gdb.Value(address + offset).cast(gdb_type.pointer()).dereference()


def word(address):
    return int(at_offset(address, 0, gdb.lookup_type("unsigned long")))


def cxx_text(value):
    """First character and length of a string or a view."""
    if cxx_class(value.type) == "basic_string_view":
        return one_of(value, "__data_", "__data"), counted(one_of(value, "__size_", "__size"))
    try:
        rep = value["__rep_"]
    except gdb.error:
        rep = unpaired(value["__r_"])
    short, wide = rep["__s"], rep["__l"]
    try:
        is_long, length = int(short["__is_long_"]), int(short["__size_"])
    except gdb.error:  # before LLVM 15, the lowest bit tells it
        is_long, length = int(short["__size_"]) & 1, int(short["__size_"]) >> 1
    if is_long:
        return wide["__data_"], counted(wide["__size_"])
    start = short["__data_"]
    return start.address.cast(start.type.target().pointer()), counted(length, start.type.sizeof)


def cxx_vector(value):
    begin, end = value["__begin_"], value["__end_"]
    if int(end) < int(begin) or int(begin) % (begin.type.target().alignof or 1):
        raise Unset("it ends before it begins: uninitialized?")
    return begin, counted(end - begin)


def cxx_run(value):
    """First element and number of those that lie one behind the other."""
    name = cxx_class(value.type)
    if name == "vector":
        return cxx_vector(value)
    if name == "array":
        elements = value["__elems_"]
        return elements[0].address, int(value.type.strip_typedefs().template_argument(1))
    return one_of(value, "__data_", "__data", "__begin_"), counted(one_of(value, "__size_", "__size"))


def bits(value):
    begin, count = value["__begin_"], counted(value["__size_"])
    width = begin.type.target().sizeof * 8
    return [bool(int(begin[number // width]) >> number % width & 1) for number in range(min(count, 4096))], count


def deque(value):
    """Its elements, and how many."""
    element, count = value.type.strip_typedefs().template_argument(0), counted(unpaired(one_of(value, "__size_")))
    size = max(element.sizeof, 1)
    each, first = BLOCK // size if size < BLOCK // BLOCK_LEAST else BLOCK_LEAST, int(value["__start_"])
    blocks = int(value["__map_"]["__begin_"])

    def elements():
        for number in range(first, first + count):
            yield at_offset(word(blocks + number // each * 8), number % each * size, element)
    return elements(), count


def deque_element(value, function, index=0):
    elements, count = deque(value)
    index = {"front": 0, "back": count - 1}.get(function, int(index))
    if not 0 <= index < count:
        raise gdb.GdbError("index %d is outside: the length is %d" % (index, count))
    return next(itertools.islice(elements, index, None))


def linked(first, count, offset, gdb_types, behind=0):
    """What is in nodes that hold the address of the next one."""
    node = first
    for _ in range(count):
        if not node:
            raise Unset("a node is missing: uninitialized?")
        yield parts_at(node + offset, gdb_types)
        node = word(node + behind)


def ordered(root, gdb_types):
    """What is in a tree, from left to right. A node has left, right and parent, and a byte for its colour."""
    node, above, offset = root, [], node_offset(25, gdb_types)
    while node or above:
        while node:
            above.append(node)
            node = word(node)
            if len(above) > DEEP:
                raise Unset("its tree is deeper than any: uninitialized?")
        node = above.pop()
        yield parts_at(node + offset, gdb_types)
        node = word(node + 8)


def parts_at(address, gdb_types):
    found, at = [], 0
    for gdb_type in gdb_types:
        at = rounded(at, gdb_type)
        found.append(at_offset(address, at, gdb_type))
        at += gdb_type.sizeof
    return found


def held_types(value, name):
    gdb_type = value.type.strip_typedefs()
    return [gdb_type.template_argument(number) for number in range(2 if name.endswith("map") else 1)]


def node_offset(size, gdb_types):
    return max(rounded(size, gdb_type) for gdb_type in gdb_types)


def nodes(value, name):
    """What a list, a tree or a hash table holds, and how many."""
    types = held_types(value, name)
    if name == "list":
        count = counted(unpaired(one_of(value, "__size_alloc_", "__size_")))
        return linked(int(value["__end_"]["__next_"]), count, node_offset(16, types), types, 8), count
    if name.startswith("unordered"):
        table = value["__table_"]
        count = counted(unpaired(one_of(table, "__p2_", "__size_")))
        first = unpaired(one_of(table, "__p1_", "__first_node_"))["__next_"]
        return linked(int(first), count, node_offset(16, types), types), count
    tree = value["__tree_"]
    count = counted(unpaired(one_of(tree, "__pair3_", "__size_")))
    root = unpaired(one_of(tree, "__pair1_", "__end_node_"))["__left_"]
    return ordered(int(root), types), count


def cxx_count(value):
    name = cxx_class(value.type)
    return deque(value)[1] if name == "deque" else nodes(value, name)[1]


def variant(value):
    """The number of the alternative that a variant holds, and its value; None: it has lost it."""
    kept = one_of(value, "__impl_", "__impl")
    number = int(one_of(kept, "__index_", "__index"))
    count = 0
    while True:
        try:
            value.type.strip_typedefs().template_argument(count)
            count += 1
        except (RuntimeError, gdb.error):
            break
    if number < 0 or number >= count:
        return None
    held = one_of(kept, "__data_", "__data")
    return number, held.address.cast(value.type.strip_typedefs().template_argument(number).pointer()).dereference()


def owned(value):
    return unpaired(one_of(value, "__ptr_"))


class CxxText:
    def __init__(self, value):
        self.found = cxx_text(value)

    def to_string(self):
        start, length = self.found
        # gdb 13 ends with a division by zero where the type of a character is a typedef
        character = start.type.strip_typedefs().target().strip_typedefs()
        return start.cast(character.pointer()).lazy_string(length=length) if length else ""

    def display_hint(self):
        return "string"


def title_of(name, count):
    return "std::%s of %d" % (name, count)


def cxx_sequence(value, name):
    gdb_type = value.type.strip_typedefs()
    if name == "vector" and gdb_type.template_argument(0).code == gdb.TYPE_CODE_BOOL:
        elements, count = bits(value)
    elif name == "vector":
        begin, count = cxx_vector(value)
        elements = ((begin + number).dereference() for number in range(count))
    else:
        elements, count = deque(value)
    return Holds(title_of(name, count), lambda: in_order(elements), "array")


def cxx_nodes(value, name):
    found, count = nodes(value, name)
    if name.endswith("map"):
        return Holds(title_of(name, count), lambda: in_pairs(found), "map")
    return Holds(title_of(name, count), lambda: in_order(pair[0] for pair in found), "array")


def cxx_span(value, name):
    start, count = cxx_run(value)
    elements = ((start + number).dereference() for number in range(count))
    return Holds(title_of(name, count), lambda: in_order(elements), "array")


def cxx_optional(value, _):
    held = [("value", value["__val_"])] if value["__engaged_"] else []
    return Holds("std::optional" if held else "std::optional, empty", lambda: held)


def cxx_variant(value, _):
    found = variant(value)
    return Holds("std::variant", lambda: [("[%d]" % found[0], found[1])] if found else [])


def cxx_tuple(value, _):
    base, found = one_of(value, "__base_"), []
    for number, field in enumerate(f for f in base.type.strip_typedefs().fields() if f.is_base_class):
        leaf = base[field]
        try:
            found.append(("[%d]" % number, leaf["__value_"]))
        except gdb.error:  # an empty class
            continue
    return Holds("std::tuple", lambda: found)


def cxx_shared(value, name):
    counts, held = value["__cntrl_"], value["__ptr_"]
    if not int(counts):
        return Plain("std::%s, empty" % name)
    users = int(counts["__shared_owners_"]) + 1
    return Holds("std::%s (use count %d)" % (name, users), lambda: [("get()", held)])


def cxx_adapter(value, name):
    kept = value["c"]
    return Holds("std::%s" % name, lambda: [("c", kept)])


CXX_PRINTERS = {
    "basic_string": lambda value, _: CxxText(value),
    "basic_string_view": lambda value, _: CxxText(value),
    "path": lambda value, _: CxxText(value["__pn_"]),
    "vector": cxx_sequence, "deque": cxx_sequence,
    "list": cxx_nodes, "map": cxx_nodes, "multimap": cxx_nodes, "set": cxx_nodes, "multiset": cxx_nodes,
    "unordered_map": cxx_nodes, "unordered_multimap": cxx_nodes, "unordered_set": cxx_nodes,
    "unordered_multiset": cxx_nodes,
    "span": cxx_span, "initializer_list": cxx_span,
    "array": lambda value, _: Plain(value["__elems_"]),
    "stack": cxx_adapter, "queue": cxx_adapter, "priority_queue": cxx_adapter,
    "optional": cxx_optional, "variant": cxx_variant, "tuple": cxx_tuple,
    "unique_ptr": lambda value, _: Plain(owned(value)),
    "shared_ptr": cxx_shared, "weak_ptr": cxx_shared,
    "atomic": lambda value, _: Plain(value.address.cast(
        value.type.strip_typedefs().template_argument(0).pointer()).dereference()),
    "reference_wrapper": lambda value, _: Plain(one_of(value, "__f_").dereference()),
    "__wrap_iter": lambda value, _: Plain(one_of(value, "__i_", "__i").dereference()),
}


def cxx_class(gdb_type):
    """The name of a class of libc++ without its namespaces and arguments; "" for others."""
    found = CXX_NAME.match(gdb_type.strip_typedefs().tag or "")
    return found.group(1) if found else ""


def cxx_printer(value):
    name = cxx_class(value.type)
    known = CXX_PRINTERS.get(name)
    if not known:
        return None
    if value.is_optimized_out:
        return Unknown()
    try:
        return known(value, name)
    except Unset as why:
        return Plain("<%s>" % why)
    except (gdb.error, RuntimeError):
        return None
