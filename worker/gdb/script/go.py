# How maps and interfaces of Go are shown, as its runtime lays them out: maps as tables of buckets up to Go 1.23, since
# 1.24 as directories of tables of groups ("Swiss tables").

import gdb

SLOTS = 8  # of a bucket
TAKEN = 5  # from this byte on, a slot of a bucket is in use
MOVED = (2, 3, 4)  # in the first slot of a bucket: its entries have moved
GROUPS_MAX = 1 << 16  # of a table; the runtime splits it much earlier
IN_ITSELF = 0x20  # of a type's kind: the word of an interface is the value, and does not point to it
STARRED = 2  # of a type's flags: its name has a star in front that does not belong to it
TYPE_NAME_MAX = 1000


def buckets_of(table, name, count):
    start = table[name]
    for number in range(count):
        bucket = start + number
        while int(bucket):
            yield bucket.dereference()
            bucket = bucket.dereference()["overflow"].cast(start.type)


def in_bucket(bucket):
    for slot in range(SLOTS):
        if int(bucket["tophash"][slot]) >= TAKEN:
            yield bucket["keys"][slot], bucket["values"][slot]


def bucket_entries(table):
    """While a map grows, its old buckets have what has not moved yet."""
    count = 1 << int(table["B"])
    if int(table["oldbuckets"]):
        is_same_size = int(table["flags"]) & 8
        for bucket in buckets_of(table, "oldbuckets", count if is_same_size else count // 2):
            if int(bucket["tophash"][0]) not in MOVED:
                yield from in_bucket(bucket)
    if int(table["buckets"]):
        for bucket in buckets_of(table, "buckets", count):
            yield from in_bucket(bucket)


def in_group(group):
    """A control byte for each slot: those in use have no highest bit."""
    for slot, control in enumerate(int(group["ctrl"]).to_bytes(SLOTS, "little")):
        if not control & 0x80:
            yield group["slots"][slot]["key"], group["slots"][slot]["elem"]


def group_entries(table):
    """Of a small map, the directory is its only group. In others, several places of it can have one table."""
    count, tables = sane(table["dirLen"]), table["dirPtr"]
    if not int(tables):
        return
    if not count:
        yield from in_group(tables.cast(tables.type.target().target()["groups"].type["data"].type).dereference())
    before = None
    for number in range(count):
        if int(tables[number]) == before:
            continue
        before = int(tables[number])
        groups = tables[number]["groups"]
        for place in range(min(int(groups["lengthMask"]) + 1, GROUPS_MAX)):
            yield from in_group((groups["data"] + place).dereference())


def itself(held, named):
    """A large key or element is elsewhere, and the map has a pointer to it."""
    kind = held.type.strip_typedefs()
    target = kind.target().name if kind.code == gdb.TYPE_CODE_PTR else None
    return held.dereference() if target and target == named else held


def named_of(title):
    """Of "map<[200]uint8,int>", what it holds by the names of their types. A comma can be in brackets."""
    inside, depth = title.partition("<")[2][:-1], 0
    for at, character in enumerate(inside):
        depth += (character in "[<({") - (character in "]>)}")
        if character == "," and not depth:
            return inside[:at], inside[at + 1:]
    return "", ""


def is_map(kind):
    """Of the type to which a variable points."""
    if not (kind.name or "").startswith(("hash<", "map<")) or kind.code != gdb.TYPE_CODE_STRUCT:
        return False
    names = [field.name for field in kind.fields()]
    return "dirPtr" in names or "oldbuckets" in names


def go_map(value, kind):
    """Of a pointer to its table, which is what a variable of such a type is."""
    if not int(value):
        return Holds("map of 0", list, "map")
    table, (key, element) = value.dereference(), named_of(kind.name)
    is_old = "oldbuckets" in [field.name for field in kind.fields()]
    count, entries = sane(table["count" if is_old else "used"]), bucket_entries if is_old else group_entries
    pairs = lambda: ((itself(pair[0], key), itself(pair[1], element)) for pair in entries(table))
    return Holds("map of %d" % count, lambda: in_pairs(pairs()) if count else [], "map")


def name_at(address):
    """A name in the runtime's tables: flags, length, text."""
    memory, length, at = gdb.selected_inferior(), 0, 1
    while True:
        byte = ord(memory.read_memory(address + at, 1).tobytes())
        length |= (byte & 0x7f) << 7 * (at - 1)
        at += 1
        if not byte & 0x80:
            break
    return memory.read_memory(address + at, min(length, TYPE_NAME_MAX)).tobytes().decode("utf-8", "replace")


def go_type(described):
    """The name of a type that the runtime describes, and whether an interface's word is its value."""
    kept = described.dereference()
    tables = gdb.lookup_global_symbol("runtime.firstmoduledata").value()["types"]
    name = name_at(int(tables) + int(one_of(kept, "str", "Str")))
    if int(one_of(kept, "tflag", "TFlag")) & STARRED:
        name = name[1:]
    return name, bool(int(one_of(kept, "kind", "Kind_")) & IN_ITSELF)


def go_interface(value, names):
    if names[0] == "tab":
        if not int(value["tab"]):
            return Plain("nil")
        described = one_of(value["tab"].dereference(), "_type", "Type")
    else:
        described = value["_type"]
        if not int(described):
            return Plain("nil")
    name, is_itself = go_type(described)
    gdb_type = gdb.lookup_type(name.lstrip("*"))
    for _ in range(len(name) - len(name.lstrip("*"))):
        gdb_type = gdb_type.pointer()
    data = value["data"]
    if gdb_type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
        held = data.cast(gdb_type)
        return Holds(name, lambda: [("value", pointed(held))]) if int(held) else Plain("(%s) nil" % name)
    held = data.cast(gdb_type) if is_itself else data.cast(gdb_type.pointer()).dereference()
    return Holds(name, lambda: [("value", held)])


def go_container(value):
    kind = value.type.strip_typedefs()
    if kind.code == gdb.TYPE_CODE_PTR:
        return go_map(value, kind.target())
    names = [field.name for field in kind.fields()]
    if names not in (["tab", "data"], ["_type", "data"]):
        return None
    try:
        return go_interface(value, names)
    except (gdb.error, RuntimeError):
        return None
