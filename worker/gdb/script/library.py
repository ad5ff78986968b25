# gdb's helpers for values of the C++ library: the library's own printers and member functions, from the
# compiler's folder, and here those that it lacks. Programs inline most of these functions, so gdb has none to call.
# Must never load anything that a trace or a user brings: only folders that root owns.

import glob
import os
import re
import sys
import gdb
import gdb.xmethod

WALK_MAX = 100000  # elements that a search for a key looks at
TEXT_MAX = 65536  # bytes of a key


def bare(gdb_type):
    if gdb_type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        gdb_type = gdb_type.target()
    return gdb_type.unqualified().strip_typedefs()


def class_of(gdb_type):
    """The name of a class of the library without its namespaces and arguments."""
    found = re.match(r"(?:std|__gnu_cxx)::(?:\w+::)*(\w+)<", str(bare(gdb_type).tag or bare(gdb_type).name))
    return found.group(1) if found else ""


def argument(gdb_type, number):
    return bare(gdb_type).template_argument(number)


def size_type():
    return gdb.lookup_type("unsigned long")


def printers():
    from libstdcxx.v6 import printers as known
    return known


# ---- What the functions read --------------------------------------------------------------------------------

def optional_value(value):
    if cxx_class(value.type):
        if not value["__engaged_"]:
            raise gdb.GdbError("this std::optional is empty")
        return value["__val_"]
    if not value["_M_payload"]["_M_engaged"]:
        raise gdb.GdbError("this std::optional is empty")
    return value["_M_payload"]["_M_payload"]["_M_value"]


def strip(value):
    return value.cast(value.type.strip_typedefs())


def text_of(value):
    """Address and length of what a string, a view or a span holds."""
    name = class_of(value.type)
    if cxx_class(value.type):
        start, length = cxx_text(value) if is_text(value.type) else cxx_run(value)
        return strip(start).cast(argument(value.type, 0).pointer()), length
    if name == "basic_string":
        return strip(value["_M_dataplus"]["_M_p"]), int(value["_M_string_length"])
    if name == "basic_string_view":
        return strip(value["_M_str"]), int(value["_M_len"])
    extent = value["_M_extent"]
    try:
        return strip(value["_M_ptr"]), int(extent["_M_extent_value"])
    except gdb.error:
        return strip(value["_M_ptr"]), int(argument(value.type, 1))


def text_at(value, index):
    start, length = text_of(value)
    index = int(index)
    if index < 0 or index >= length + (class_of(value.type) == "basic_string"):
        raise gdb.GdbError("index %d is outside: the length is %d" % (index, length))
    return (start + index).dereference()


def text_last(value):
    return text_at(value, text_of(value)[1] - 1)


def text_data(value):
    start = text_of(value)[0]
    return start.cast(start.type.target().const().pointer())


def is_text(gdb_type):
    return class_of(gdb_type) in ("basic_string", "basic_string_view")


def content(value):
    """What a key is compared by."""
    if is_text(value.type):
        start, length = text_of(value)
        size = start.type.target().sizeof
        count = min(length * size, TEXT_MAX)  # gdb 16 reads no 0 bytes
        return bytes(gdb.selected_inferior().read_memory(int(start), count)) if count else b""
    kind = bare(value.type)
    if kind.code in (gdb.TYPE_CODE_ARRAY, gdb.TYPE_CODE_PTR) and kind.target().sizeof == 1:
        return value.string(encoding="latin-1").encode("latin-1")
    return float(value) if kind.code == gdb.TYPE_CODE_FLT else int(value)


def elements(value):
    """Keys and values of a map, keys alone of a set."""
    if cxx_class(value.type):
        yield from ((part[0], part[-1]) for part in nodes(value, cxx_class(value.type))[0])
        return
    name, known = class_of(value.type), printers()
    keeps = {"map": known.StdMapPrinter, "set": known.StdSetPrinter,
             "unordered_map": known.Tr1UnorderedMapPrinter, "unordered_set": known.Tr1UnorderedSetPrinter}[name]
    children = iter(keeps("std::" + name, value).children())
    for _, key in children:
        yield key, next(children)[1] if name.endswith("map") else key


def find(value, key):
    wanted = content(key)
    for number, (candidate, element) in enumerate(elements(value)):
        if content(candidate) == wanted:
            return element
        if number == WALK_MAX:
            raise gdb.GdbError("not among the first %d elements" % WALK_MAX)
    return None


def map_element(value, key):
    found = find(value, key)
    if found is None:
        raise gdb.GdbError("there is no element with the key %s" % key)
    return found


def contains(value, key):
    return truth(find(value, key) is not None)


def count(value, key):
    return number(int(find(value, key) is not None))


def is_equal(value, other):
    """Of a string with text, of a smart pointer with an address, of an atomic or an optional with what it holds."""
    name = class_of(value.type)
    if is_text(value.type):
        return content(value) == content(other)
    if name in POINTERS:
        return held_pointer(value) == (held_pointer(other) if class_of(other.type) in POINTERS else int(other))
    if name == "optional":
        return is_true(value) and content(optional_value(value)) == content(other)
    return content(atomic_value(value)) == content(other)


POINTERS = ("unique_ptr", "shared_ptr")


def is_engaged(value):
    return bool(value["__engaged_"] if cxx_class(value.type) else value["_M_payload"]["_M_engaged"])


def held_pointer(value):
    if cxx_class(value.type):
        return int(owned(value))
    if class_of(value.type) == "unique_ptr":
        return int(printers().unique_ptr_get(value))
    return int(value["_M_ptr"])


def is_true(value):
    """What a conversion to bool answers."""
    gdb_type = bare(value.type)
    if gdb_type.code not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_UNION):
        return bool(value)
    if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        value = value.referenced_value()
    name = class_of(value.type)
    if name in POINTERS:
        return held_pointer(value) != 0
    if name == "optional":
        return is_engaged(value)
    if name == "function":
        return int(value["__f_"]["__f_"] if cxx_class(value.type) else value["_M_manager"]) != 0
    if name == "atomic":
        return bool(atomic_value(value))
    raise gdb.GdbError("a %s is neither true nor false: compare one of its members" % gdb_type)


def users(value):
    if cxx_class(value.type):
        return number(int(value["__cntrl_"]["__shared_owners_"]) + 1 if int(value["__cntrl_"]) else 0)
    counts = value["_M_refcount"]["_M_pi"]
    return number(0 if int(counts) == 0 else int(counts["_M_use_count"]))


def alternative(value):
    return (variant(value) or (-1,))[0] if cxx_class(value.type) else int(value["_M_index"])


def atomic_value(value):
    held = argument(value.type, 0)
    return value.address.cast(held.pointer()).dereference()  # it begins with what it holds


def bit_at(value, index):
    index, count, words = int(index), int(argument(value.type, 0)), value["_M_w"]
    if index < 0 or index >= count:
        raise gdb.GdbError("index %d is outside: there are %d bits" % (index, count))
    word_bits = size_type().sizeof * 8
    if words.type.strip_typedefs().code == gdb.TYPE_CODE_ARRAY:
        words, index = words[index // word_bits], index % word_bits
    return truth(int(words) >> index & 1)


def node_element(value):
    """What an iterator of a container with nodes stands at."""
    known = printers()
    if class_of(value.type).startswith("_Rb_tree"):
        node = known.lookup_node_type("_Rb_tree_node", value.type).pointer()
        return known.get_value_from_Rb_tree_node(value["_M_node"].cast(node).dereference())
    node = known.lookup_node_type("_List_node", value.type).pointer()
    return known.get_value_from_list_node(value["_M_node"].cast(node).dereference())


def hash_element(value):
    node = value["_M_cur"].dereference()
    return node["_M_storage"]["_M_storage"].address.cast(argument(value.type, 0).pointer()).dereference()


# ---- Which class has which -----------------------------------------------------------------------------------

def of_first(value_type):
    return argument(value_type, 0)


def pointer_to_first(value_type):
    return argument(value_type, 0).pointer()


def const_pointer_to_first(value_type):
    return argument(value_type, 0).const().pointer()


def of_mapped(value_type):
    return argument(value_type, 1)


def count_type(_):
    return size_type()


def truth_type(_):
    return gdb.lookup_type("bool")


def of_index(_):
    return [[size_type()]]


def of_key(value_type):
    key = argument(value_type, 0)
    if is_text(key):
        return [[gdb.lookup_type("char").const().pointer()], [key]]
    return [[key]] if bare(key).code in (
        gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, gdb.TYPE_CODE_CHAR, gdb.TYPE_CODE_FLT) else []


def of_text(value_type):
    return [[gdb.lookup_type("char").const().pointer()], [value_type]]


def of_pointer(value_type):
    return [[gdb.lookup_type("void").pointer()], [gdb.lookup_type("int")], [gdb.lookup_type("long")], [value_type]]


def of_held(value_type):
    held = argument(value_type, 0)
    return [[gdb.lookup_type("char").const().pointer()], [held]] if is_text(held) else [[held]]


def nothing(_):
    return [[]]


def truth(value):
    return gdb.Value(bool(value)).cast(gdb.lookup_type("bool"))


def number(value):
    return gdb.Value(value).cast(size_type())


def iterator_target(value_type):
    return argument(value_type, 0).target() if argument(value_type, 0).code == gdb.TYPE_CODE_PTR else argument(value_type, 0)


def iterator_pointer(value_type):
    return iterator_target(value_type).pointer()


def compared(arguments):
    return {
        "operator==": (arguments, truth_type, lambda value, other: truth(is_equal(value, other))),
        "operator!=": (arguments, truth_type, lambda value, other: truth(not is_equal(value, other))),
    }


def negated():
    return {"operator!": (nothing, truth_type, lambda value: truth(not is_true(value)))}


CURRENT = ("_M_current", "__i_", "__i")  # what an iterator of a vector stands at

# class: {function: (arguments, type of the result, what it reads)}
TEXT = {
    "operator[]": (of_index, of_first, text_at),
    "at": (of_index, of_first, text_at),
    "front": (nothing, of_first, lambda value: text_at(value, 0)),
    "back": (nothing, of_first, text_last),
    "data": (nothing, const_pointer_to_first, text_data),
    "c_str": (nothing, const_pointer_to_first, text_data),
    "size": (nothing, count_type, lambda value: number(text_of(value)[1])),
    "length": (nothing, count_type, lambda value: number(text_of(value)[1])),
    "empty": (nothing, truth_type, lambda value: truth(text_of(value)[1] == 0)),
}
COMPARED_TEXT = {**TEXT, **compared(of_text)}
POINTER = {**compared(of_pointer), **negated()}
MAP = {
    "operator[]": (of_key, of_mapped, map_element),
    "at": (of_key, of_mapped, map_element),
    "contains": (of_key, truth_type, contains),
    "count": (of_key, count_type, count),
}
SET = {
    "contains": (of_key, truth_type, contains),
    "count": (of_key, count_type, count),
}
NODES = {
    "operator*": (nothing, of_first, node_element),
    "operator->": (nothing, pointer_to_first, lambda value: node_element(value).address),
}
HASHED = {
    "operator*": (nothing, of_first, hash_element),
    "operator->": (nothing, pointer_to_first, lambda value: hash_element(value).address),
}
FUNCTIONS = {
    "optional": {
        "operator*": (nothing, of_first, optional_value),
        "operator->": (nothing, pointer_to_first, lambda value: optional_value(value).address),
        "value": (nothing, of_first, optional_value),
        "has_value": (nothing, truth_type, lambda value: truth(is_engaged(value))),
        **compared(of_held),
        **negated(),
    },
    "basic_string": COMPARED_TEXT,
    "basic_string_view": COMPARED_TEXT,
    "unique_ptr": POINTER,
    "shared_ptr": POINTER,
    "weak_ptr": {
        "use_count": (nothing, count_type, users),
        "expired": (nothing, truth_type, lambda value: truth(int(users(value)) == 0)),
    },
    "function": negated(),
    "variant": {"index": (nothing, count_type, lambda value: number(alternative(value)))},
    "duration": {"count": (nothing, of_first, lambda value: value["__r"])},
    "bitset": {"test": (of_index, truth_type, bit_at), "operator[]": (of_index, truth_type, bit_at)},
    "span": {name: TEXT[name] for name in ("operator[]", "front", "back", "data", "size", "empty")},
    "map": MAP,
    "unordered_map": MAP,
    "set": SET,
    "unordered_set": SET,
    "atomic": {"load": (nothing, of_first, atomic_value), **compared(of_held)},
    "reference_wrapper": {"get": (nothing, of_first, lambda value: one_of(value, "_M_data", "__f_").dereference())},
    "__normal_iterator": {
        "operator*": (nothing, iterator_target, lambda value: one_of(value, *CURRENT).dereference()),
        "operator->": (nothing, iterator_pointer, lambda value: one_of(value, *CURRENT)),
    },
    "_Rb_tree_iterator": NODES,
    "_Rb_tree_const_iterator": NODES,
    "_List_iterator": NODES,
    "_List_const_iterator": NODES,
    "_Node_iterator": HASHED,
    "_Node_const_iterator": HASHED,
}


FUNCTIONS["__wrap_iter"] = FUNCTIONS["__normal_iterator"]

# Those of libc++ alone: the other library's own helpers know these classes of it.
RUN = FUNCTIONS["span"]
POINTED = {
    **POINTER,
    "get": (nothing, pointer_to_first, owned),
    "operator*": (nothing, of_first, lambda value: owned(value).dereference()),
    "operator->": (nothing, pointer_to_first, owned),
}
CXX_FUNCTIONS = {
    "vector": {**RUN, "at": RUN["operator[]"]},
    "array": {**RUN, "at": RUN["operator[]"]},
    "deque": {name: (arguments, result, lambda value, *index, name=name: deque_element(value, name, *index))
              for name, (arguments, result) in {"operator[]": (of_index, of_first), "at": (of_index, of_first),
                                                "front": (nothing, of_first), "back": (nothing, of_first)}.items()},
    "unique_ptr": POINTED,
    "shared_ptr": {**POINTED, "use_count": (nothing, count_type, users)},
}
for sized in ("deque", "list", "map", "set", "multimap", "multiset", "unordered_map", "unordered_set"):
    CXX_FUNCTIONS[sized] = {
        **CXX_FUNCTIONS.get(sized, FUNCTIONS.get(sized, {})),
        "size": (nothing, count_type, lambda value: number(cxx_count(value))),
        "empty": (nothing, truth_type, lambda value: truth(cxx_count(value) == 0)),
    }


class Worker(gdb.xmethod.XMethodWorker):
    def __init__(self, function, arguments, class_type):
        self.arguments, self.class_type = arguments, class_type
        self.result, self.read = function[1], function[2]

    def get_arg_types(self):
        return self.arguments or None

    def get_result_type(self, _, *__):
        return self.result(self.class_type)

    def __call__(self, value, *arguments):
        # gdb passes the object, a reference or its address
        if value.type.strip_typedefs().code == gdb.TYPE_CODE_PTR:
            value = value.dereference()
        elif bare(value.type) != value.type.strip_typedefs().unqualified():
            value = value.referenced_value()
        return self.read(value, *arguments)


class Matcher(gdb.xmethod.XMethodMatcher):
    def __init__(self):
        super().__init__("functions that the library lacks")
        self.methods = []

    def match(self, class_type, method_name):
        name = class_of(class_type)
        known = FUNCTIONS.get(name, {})
        if cxx_class(bare(class_type)):
            known = CXX_FUNCTIONS.get(name, known)
        function = known.get(method_name)
        if not function:
            return None
        return [Worker(function, arguments, class_type) for arguments in function[0](class_type)]


class Truth(gdb.Function):
    """What a conversion to bool is: gdb reads an object's first byte for it."""

    def __init__(self):
        super().__init__("rr_truth")

    def invoke(self, value):
        return is_true(value)


def tuple_element(value, number):
    """In the library of GCC, a tuple is made of bases, each with one element and the rest."""
    while True:
        rest = None
        for field in value.type.strip_typedefs().fields():
            name = field.name or ""
            if name.startswith("std::_Head_base<%d," % number):
                head = value[field]
                try:
                    return head["_M_head_impl"]
                except gdb.error:  # an empty class
                    return head.cast(argument(head.type, 1))
            rest = field if name.startswith("std::_Tuple_impl<") else rest
        if rest is None:
            raise gdb.GdbError("it has no element %d" % number)
        value = value[rest]


def element_of(value, number):
    name = class_of(value.type)
    if name == "pair":
        return value["first" if number == 0 else "second"]
    if name == "array":
        return one_of(value, "_M_elems", "__elems_")[number]
    if name == "tuple" and cxx_class(value.type):
        known = dict(cxx_tuple(value, name).find())
        if "[%d]" % number not in known:
            raise gdb.GdbError("it has no element %d" % number)
        return known["[%d]" % number]
    if name == "tuple":
        return tuple_element(value, number)
    raise gdb.GdbError("std::get is known of tuples, pairs and arrays")


class Get(gdb.Function):
    """What std::get<1>(e) is."""

    def __init__(self):
        super().__init__("rr_get")

    def invoke(self, number, value):
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        return element_of(value, int(number))


class DynamicCast(gdb.Function):
    """What dynamic_cast is: from the object that a value points to, the part of the asked type."""

    def __init__(self):
        super().__init__("rr_dynamic_cast")

    def invoke(self, value, pattern, is_reference):
        wanted = pattern.type
        if int(value) == 0:
            return value.cast(wanted)
        object_type = value.dynamic_type
        if object_type.strip_typedefs().code != gdb.TYPE_CODE_PTR:
            raise gdb.GdbError("dynamic_cast needs a pointer to a class with virtual functions")
        whole = value.cast(object_type)
        target = bare(wanted.strip_typedefs().target())
        if target.code == gdb.TYPE_CODE_VOID:
            return whole.cast(wanted)
        path = path_to(bare(object_type.target()), target)
        if path is None and is_reference:
            raise gdb.GdbError("bad cast: the object is a %s" % object_type.target())
        if path is None:
            return gdb.Value(0).cast(wanted)
        part = whole.dereference()
        for base in path:
            part = part[base]
        return part.address.cast(wanted)


def path_to(class_type, target, depth=0):
    """The base classes that lead to one, the first found; None if it is no base."""
    if class_type == target or str(class_type) == str(target):
        return []
    for field in class_type.fields() if depth < 30 else []:
        if not field.is_base_class:
            continue
        rest = path_to(bare(field.type), target, depth + 1)
        if rest is not None:
            return [field] + rest
    return None


def belongs_to_root(folder):
    """In a user namespace without root, root's files have another owner's number: that of /usr."""
    status = os.stat(folder)
    return status.st_uid == os.stat("/usr").st_uid and not status.st_mode & 0o022


def mend_counts():
    """In GCC 12, the library's own use_count begins by calling itself without an end, and has no _supports."""
    from libstdcxx.v6 import xmethods
    if hasattr(xmethods, "SharedPtrUseCountWorker"):
        xmethods.SharedPtrUseCountWorker.__init__ = lambda self, elem_type: None
        xmethods.SharedPtrUseCountWorker._supports = lambda self, method_name: True


def keep_from_libcxx(matcher):
    """The other library's helpers take classes of libc++ for their own, and find no member of theirs."""
    match = matcher.match
    matcher.match = lambda class_type, name: None if cxx_class(bare(class_type)) else match(class_type, name)


def load_library_helpers():
    load_conditions()
    load_judged()
    load_printers()
    load_system_printers()
    sys.path[:0] = [folder for folder in glob.glob("/usr/share/gcc*/python") if belongs_to_root(folder)]
    gdb.xmethod.register_xmethod_matcher(None, Matcher())
    DynamicCast()
    Get()
    Truth()
    mend_counts()
    from libstdcxx.v6 import register_libstdcxx_printers
    register_libstdcxx_printers(None)
    for matcher in gdb.xmethods:
        if not isinstance(matcher, Matcher):
            keep_from_libcxx(matcher)
