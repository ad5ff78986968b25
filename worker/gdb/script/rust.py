# How maps, sets, deques, shared and guarded values of Rust are shown: what they hold, as the library of 1.40 and later
# lays it out. The newest names of members come first.

import gdb

NODE_MAX = 11  # entries of a node of a B-tree
TREE_MAX = 24  # nodes above each other
CONTROL_FULL = 0x80  # below: the entry of a hash table is in use
FOLLOWED_MAX = 4  # pointers, one behind the other


def rust_pointer(value):
    """The address in a Box, NonNull or Unique, whose members have changed their names."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT:
        value = value[value.type.strip_typedefs().fields()[0]]
    return value


def plain(value):
    """What is in a Cell, an UnsafeCell, an atomic or the like."""
    while value.type.strip_typedefs().code == gdb.TYPE_CODE_STRUCT and len(value.type.strip_typedefs().fields()) == 1:
        value = value[value.type.strip_typedefs().fields()[0]]
    return value


def inner(value):
    """What is in the UnsafeCell of a guarded value."""
    return value["value"]


def pointed(pointer):
    """What a pointer points to. Such chains may go round, or branch at each step: only the first steps are shown."""
    return pointer.dereference() if Holds.inside < FOLLOWED_MAX else pointer


def sane(number):
    number = int(number)
    if not 0 <= number < SANE_MAX:
        raise gdb.MemoryError("it has %d elements: uninitialized?" % number)
    return number


def hashed(table):
    """The entries of a hash table, which lie in front of its control bytes, the first one nearest."""
    entry, known = table.type.template_argument(0), table["table"]
    control = int(rust_pointer(known["ctrl"]))
    left, last = sane(known["items"]), sane(known["bucket_mask"])
    start, number = gdb.Value(control).cast(entry.pointer()), 0
    while left and number <= last:
        count = min(4096, last + 1 - number)
        for byte in bytes(gdb.selected_inferior().read_memory(control + number, count)):
            number += 1
            if byte < CONTROL_FULL:
                left -= 1
                yield (start - number).dereference()


def branched(node, height):
    """Keys and values of a node of a B-tree and of those below, in order. Edges lie behind what a leaf has."""
    leaf = node.dereference()
    count = int(leaf["len"])
    if count > NODE_MAX or height > TREE_MAX:
        raise gdb.MemoryError("its tree is none: uninitialized?")
    edges = gdb.Value(int(node) + leaf.type.sizeof).cast(node.type.pointer())
    for number in range(count + 1):
        if height:
            yield from branched(edges[number], height - 1)
        if number < count:
            yield leaf["keys"][number], leaf["vals"][number]


def unwrapped(value):
    """MaybeUninit is a union around a ManuallyDrop, and that, in the newest versions, around one more."""
    value = value["value"]["value"]
    if (value.type.name or "").startswith("core::mem::maybe_dangling::"):
        value = value[value.type.fields()[0]]
    return value


def tree(value):
    if not int(value["length"]):
        return
    root = value["root"]
    # an Option of what cannot be 0 is laid out as that itself
    reference = root[root.type.fields()[-1]]["__0"]
    node = rust_pointer(reference["node"])
    for key, held in branched(node, int(reference["height"])):
        yield unwrapped(key), unwrapped(held)


def entries(table):
    for entry in hashed(table):
        first, second = entry.type.fields()[:2]
        yield entry[first], entry[second]


def table_of(value):
    for name in ("base", "map", "base", "table"):
        try:
            value = value[name]
        except gdb.error:
            continue
    return value


def hash_map(value, _):
    table = table_of(value)
    return Holds("HashMap of %d" % sane(table["table"]["items"]), lambda: in_pairs(entries(table)), "map")


def hash_set(value, _):
    table = table_of(value)
    return Holds("HashSet of %d" % sane(table["table"]["items"]),
                 lambda: in_order(key for key, _ in entries(table)), "array")


def tree_map(value, _):
    return Holds("BTreeMap of %d" % sane(value["length"]), lambda: in_pairs(tree(value)), "map")


def tree_set(value, _):
    kept = value["map"]
    return Holds("BTreeSet of %d" % sane(kept["length"]), lambda: in_order(key for key, _ in tree(kept)), "array")


def ring(value):
    """Where a VecDeque begins in its buffer, and how many elements it has. Before 1.67 it had no length, and `head`
    was behind its last one."""
    buffer = value["buf"]
    try:
        buffer = buffer["inner"]
    except gdb.error:
        pass
    start, room = rust_pointer(buffer["ptr"]), max(plain_number(buffer["cap"]), 1)
    head = sane(value["head"])
    try:
        return start, room, head, sane(value["len"])
    except gdb.error:
        tail = sane(value["tail"])
        return start, room, tail, (head - tail) % room


def ring_of(value, _):
    start, room, first, count = ring(value)
    start = start.cast(value.type.template_argument(0).pointer())
    held = ((start + (first + number) % room).dereference() for number in range(count))
    return Holds("VecDeque of %d" % count, lambda: in_order(held), "array")


def counted_box(value, name):
    held = rust_pointer(value["ptr"])
    if held.type.strip_typedefs().code != gdb.TYPE_CODE_PTR:  # of a slice or a trait object
        return None
    kind = name.rpartition("::")[2]
    if int(held) in (0, (1 << 64) - 1):
        return Holds("%s, empty" % kind, lambda: [])
    box = held.dereference()
    strong, weak = int(plain(box["strong"])), int(plain(box["weak"]))
    if kind == "Weak":
        return Holds("Weak (strong %d, weak %d)" % (strong, weak - (strong > 0)), lambda: [])
    member = "value" if kind == "Rc" else "data"
    title = "%s (strong %d, weak %d)" % (kind, strong, weak - 1)
    return Holds(title, lambda: [("value", pointed(box[member].address))])


def cell(value, _):
    return Holds("Cell", lambda: [("value", inner(value["value"]))])


def ref_cell(value, _):
    borrows = int(plain(value["borrow"]))
    said = ", borrowed to write" if borrows < 0 else ", borrowed %d times" % borrows if borrows else ""
    return Holds("RefCell" + said, lambda: [("value", inner(value["value"]))])


def lock(value, name):
    return Holds(name.rpartition("::")[2], lambda: [("value", inner(value["data"]))])


def borrowed(value, name):
    held = rust_pointer(value["value"])
    return Holds(name.rpartition("::")[2], lambda: [("value", pointed(held))])


def trait_object(value, name):
    """gdb finds the object's type by its table of functions, in expressions of Rust alone."""
    if Holds.inside >= FOLLOWED_MAX:
        return None
    gdb.set_convenience_variable("rr_trait_object", value)
    try:
        held = gdb.parse_and_eval("*$rr_trait_object")
    except gdb.error:
        return None
    return Holds(name.partition(", alloc::alloc::Global")[0].replace("alloc::boxed::", "") +
                 (">" if "Global" in name else ""), lambda: [("value", held)])


RUST_PRINTERS = {
    "std::collections::hash::map::HashMap": hash_map, "hashbrown::map::HashMap": hash_map,
    "std::collections::hash::set::HashSet": hash_set, "hashbrown::set::HashSet": hash_set,
    "alloc::collections::btree::map::BTreeMap": tree_map, "alloc::collections::btree::set::BTreeSet": tree_set,
    "alloc::collections::vec_deque::VecDeque": ring_of,
    "alloc::rc::Rc": counted_box, "alloc::rc::Weak": counted_box,
    "alloc::sync::Arc": counted_box, "alloc::sync::Weak": counted_box,
    "core::cell::Cell": cell, "core::cell::RefCell": ref_cell,
    "core::cell::Ref": borrowed, "core::cell::RefMut": borrowed,
    "std::sync::mutex::Mutex": lock, "std::sync::poison::mutex::Mutex": lock,
    "std::sync::rwlock::RwLock": lock, "std::sync::poison::rwlock::RwLock": lock,
}


def rust_container(value, name):
    if name.startswith(("&dyn ", "&mut dyn ", "alloc::boxed::Box<dyn ")):
        return trait_object(value, name)
    name = name.partition("<")[0]
    known = RUST_PRINTERS.get(name)
    return known(value, name) if known else None
