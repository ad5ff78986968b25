# Conditions as people write them: what gdb must evaluate for a comparison with a text, in the language of the place
# where the condition holds, and whether its members and operators exist. Must never read the program's memory for the
# second: the place may not have been reached yet. And where values of languages lie that have no & as C has it.

import re
import gdb

LITERAL = r'"(?:\\.|[^"\\])*"|\'(?:\\.|[^\'\\])*\''
TOKEN = re.compile(LITERAL + r"|[$A-Za-z_][\w$]*|\d[\w.]*|->|::|==|!=|<=|>=|&&|\|\||\.\w+\.|\s+|.", re.S)
COMPARES = ("==", "!=")
# What begins or ends an operand of a comparison.
BORDERS = COMPARES + ("&&", "||", "<", ">", "<=", ">=", "!", "?", ":", ",", "and", "or", "not", "then", "else",
                      ".and.", ".or.", ".not.")
ZERO_MAX = 65536  # bytes of a value that stands for a variable
LANGUAGES = {"c": "c", "h": "c", "rs": "rust", "go": "go", "d": "d", "adb": "ada", "ads": "ada", "f": "fortran",
             "for": "fortran", "f77": "fortran", "f90": "fortran", "f95": "fortran", "f03": "fortran",
             "f08": "fortran", "cc": "c++", "cpp": "c++", "cxx": "c++", "c++": "c++", "hpp": "c++", "hh": "c++"}
# Operators that gdb has under another name.
OWN_WORDS = {"ada": {"==": "=", "!=": "/=", "&&": " and then ", "||": " or else ", "!": " not "},
             "fortran": {"!=": "/=", "&&": ".and.", "||": ".or.", "!": ".not."}}
# gdb says these of types, and of no value.
MISTAKES = ("There is no member", "has no component named", "Could not find operator", "Couldn't find method",
            "component of a value that is not a structure", "is not a structure or union type",
            "Argument to arithmetic operation not a number", 'No symbol "operator')
# Where a string has its length and its first byte. A class or a structure must have both.
CXX_STRINGS = [("(%s)._M_string_length", "(%s)._M_dataplus._M_p"), ("(%s)._M_len", "(%s)._M_str"),
               ("(%s).__size_", "(%s).__data_"), ("(%s).__size", "(%s).__data")]
# Strings of libc++ keep short texts in themselves: which kind it is, and the length of a short one, by version.
LIBCXX_REPS = ("(%s).__r_.__value_", "(%s).__rep_")
LIBCXX_KINDS = [("%s.__s.__is_long_", "%s.__s.__size_"), ("(%s.__s.__size_ & 1)", "(%s.__s.__size_ >> 1)")]
STRINGS = [(("length",), ("data_ptr",)),  # Rust's &str, and two kinds of String
           (("vec", "len"), ("vec", "buf", "inner", "ptr", "pointer", "pointer")),
           (("vec", "len"), ("vec", "buf", "ptr", "pointer", "pointer")),
           (("len",), ("str",)),  # Go
           (("length",), ("ptr",))]  # D
# gdb has no bytecode for their strings, so a function costs no more there. Its parser of Go takes no member "len", and
# of D reads an element behind && from nowhere.
BY_FUNCTION = ("rust", "go", "d", "fortran")
BYTE = re.compile(r"(^|\W)(char|u8|uint8|byte)\)?$")
ESCAPES = {"n": 10, "t": 9, "r": 13, "0": 0, "a": 7, "b": 8, "f": 12, "v": 11, "e": 27}


# Words of C's types: gdb would look in all debug information for a variable of that name.
TYPE_WORDS = ("char", "const", "double", "enum", "float", "int", "long", "short", "signed", "sizeof", "struct", "union",
              "unsigned", "void", "volatile")


class Unjudged(Exception):
    pass


def language_at(address):
    """By the file's name, as compilers tell it; a header can be of C or of C++."""
    table = gdb.find_pc_line(address).symtab
    ending = table.filename.rpartition(".")[2] if table else ""
    language = LANGUAGES.get(ending.lower() if ending != "C" else "c++", "")
    function = gdb.block_for_pc(address).function if ending == "h" else None
    return "c++" if function and function.linkage_name.startswith("_Z") else language


def language_here():
    return re.search(r'(\S+?)"', gdb.execute("show language", to_string=True).rpartition("currently ")[2] or
                     'unknown"').group(1)


class Place:
    """Where a condition is evaluated: at an address, or in the selected frame."""

    def __init__(self, address):
        self.block = gdb.block_for_pc(address) if address else None
        if address and not self.block:
            raise Unjudged
        self.language = language_at(address) if address else language_here()
        if not self.language:
            raise Unjudged
        self.known = {}

    def type_of(self, text, command="whatis"):
        before = "with language %s -- " % self.language if self.block else ""
        return gdb.execute("%s%s (%s)" % (before, command, text), to_string=True).partition("= ")[2].strip()

    def has(self, text, command="whatis"):
        try:
            return self.type_of(text, command)
        except gdb.error:
            return None

    def stand_in(self, name):
        """What has the type of the program's variable, and no value that anybody knows."""
        if name not in self.known:
            asked = name.lower() if self.language in ("ada", "fortran") else name
            symbol, of_this = gdb.lookup_symbol(asked, self.block)
            if of_this:
                self.known[name] = "%s.%s" % (self.stand_in("this"), name)
            elif symbol and (symbol.is_variable or symbol.is_argument):
                self.known[name] = self.typed(symbol.type, "rr_stands_for_%d" % len(self.known))
            else:
                self.known[name] = name
        return self.known[name]

    def typed(self, gdb_type, variable):
        if gdb_type.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            gdb_type = gdb_type.target()
        if self.language in ("c", "c++"):  # with an address, which functions of classes need
            gdb.set_convenience_variable(variable, gdb.Value(0).cast(gdb_type.pointer()))
            return "(*$%s)" % variable
        is_open = getattr(gdb_type, "dynamic", False) and self.language != "fortran"
        if is_open or not 0 < gdb_type.sizeof <= ZERO_MAX:
            raise Unjudged
        gdb.set_convenience_variable(variable, gdb.Value(bytes(gdb_type.sizeof), gdb_type))
        return "$" + variable

    def without_values(self, text):
        """The same expression, for its types alone."""
        if not self.block:
            return text
        parts, before = [], ""
        tokens = TOKEN.findall(text)
        for number, token in enumerate(tokens):
            behind = "".join(tokens[number + 1:]).lstrip()
            is_name = re.match(r"[A-Za-z_]", token) and token not in TYPE_WORDS and before not in (".", "->", "::", "%") and not re.match(
                r"::|\(|\"", behind)
            parts.append(self.stand_in(token) if is_name else token)
            before = token if not token.isspace() else before
        return "".join(parts)


def bytes_of(literal):
    found = bytearray()
    for part in re.findall(r"\\x[0-9a-fA-F]{1,2}|\\.|[^\\]+", literal[1:-1], re.S):
        if part.startswith("\\x") and len(part) > 2:
            found.append(int(part[2:], 16))
        elif part.startswith("\\"):
            found += bytes([ESCAPES[part[1]]]) if part[1] in ESCAPES else part[1].encode()
        else:
            found += part.encode("utf-8", "surrogateescape")
    return bytes(found)


def compared_bytes(element, text):
    """Short, as the counter's own code evaluates most of them. A signed char has no value above 127."""
    return ["%s[%d]%s == %d" % (element, number, " & 255" if byte > 127 else "", byte)
            for number, byte in enumerate(text)]


def compared_string(place, operand, literal):
    """The comparison as gdb evaluates it; None: the operand is no string."""
    text = bytes_of(literal)
    if place.language == "ada":
        return "(%s) = %s" % (operand, literal)
    if place.language in BY_FUNCTION:
        return by_function(place, operand, text)
    asked = place.without_values(operand)
    for length, first in CXX_STRINGS:
        if place.has(length % asked) and BYTE.search(place.has((first + "[0]") % asked, "ptype") or ""):
            return " && ".join(["%s == %d" % (length % operand, len(text))] + compared_bytes(first % operand, text))
    for rep in LIBCXX_REPS:
        for is_long, size in LIBCXX_KINDS if BYTE.search(
                place.has(rep % asked + ".__l.__data_[0]", "ptype") or "") else ():
            if place.has(is_long % (rep % asked)):
                return libcxx_compared(rep % operand, is_long, size, text)
    if not BYTE.search(place.has("(%s)[0]" % asked) or ""):
        return None
    room = re.search(r"\[(\d+)\]$", place.type_of(asked))
    if room and int(room.group(1)) <= len(text):
        return "0 == 1"
    known = [] if room else ["(%s) != 0" % operand]
    return " && ".join(known + compared_bytes("(%s)" % operand, text + b"\0"))


def libcxx_compared(rep, is_long, size, text):
    same = [" && ".join(["%s == %d" % (length, len(text))] + compared_bytes("%s.%s.__data_" % (rep, kind), text))
            for kind, length in (("__l", rep + ".__l.__size_"), ("__s", size % rep))]
    return "(%s) != 0 ? (%s) : (%s)" % ((is_long % rep,) + tuple(same))


def by_function(place, operand, text):
    if place.language != "fortran":
        asked = place.without_values(operand)
        if not any(place.has(".".join(("(%s)" % asked,) + first)) for _, first in STRINGS):
            return None
    return "$rr_same_text(%s)" % ", ".join([operand] + [str(byte) for byte in text])


def operand_before(tokens, at):
    """Where the operand that ends before a token begins."""
    depth = 0
    while at > 0 and (depth or tokens[at - 1] not in BORDERS + ("(", "[")):
        at -= 1
        depth += (tokens[at] in (")", "]")) - (tokens[at] in ("(", "["))
    return at


def operand_behind(tokens, at):
    """Where the operand that begins behind a token ends."""
    depth = 0
    while at + 1 < len(tokens) and (depth or tokens[at + 1] not in BORDERS + (")", "]")):
        at += 1
        depth += (tokens[at] in ("(", "[")) - (tokens[at] in (")", "]"))
    return at + 1


def is_literal(place, token):
    return token[0] == '"' or token[0] == "'" and place.language == "fortran"


def comparison(place, tokens, at):
    """The first comparison with a text from a token on: where it begins and ends, and what to write."""
    for number in range(at, len(tokens)):
        if tokens[number] not in COMPARES:
            continue
        begin, end = operand_before(tokens, number), operand_behind(tokens, number)
        left, right = "".join(tokens[begin:number]).strip(), "".join(tokens[number + 1:end]).strip()
        if not left or not right or is_literal(place, left) == is_literal(place, right):
            continue
        operand, literal = (right, left) if is_literal(place, left) else (left, right)
        is_called = left.startswith("(") and "".join(tokens[:begin]).rstrip()[-1:] == ">"  # static_cast<T>(x)
        if is_called or not re.fullmatch(LITERAL, literal):
            continue
        same = compared_string(place, operand, literal)
        if same:
            unlike = OWN_WORDS.get(place.language, {}).get("!", "!") if tokens[number] == "!=" else ""
            return begin, end, " %s(%s) " % (unlike, same)
    return None


def spoken(place, text):
    """The condition with comparisons of texts, and operators of the place's language."""
    tokens, at = TOKEN.findall(text), 0
    while found := comparison(place, tokens, at):
        begin, end, written = found
        tokens[begin:end] = [written]
        at = begin + 1
    words = OWN_WORDS.get(place.language, {})
    return "".join(words.get(token, token) for token in tokens)


def string_in(value):
    """The bytes of a string of a language in BY_FUNCTION."""
    kind = value.type.strip_typedefs()
    if value.is_optimized_out:
        raise gdb.GdbError("it is optimized out there")
    if kind.code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
        return string_in(value.referenced_value())
    if kind.code == gdb.TYPE_CODE_PTR and kind.target().code == gdb.TYPE_CODE_STRUCT:
        return string_in(value.dereference())
    if kind.code != gdb.TYPE_CODE_STRUCT:
        memory = gdb.selected_inferior().read_memory(int(value.address), kind.sizeof)
        return bytes(memory).rstrip(b" ")  # Fortran compares without the blanks at the end
    for length, first in STRINGS:
        try:
            size, start = value, value
            for name in length:
                size = size[name]
            for name in first:
                start = start[name]
            count = plain_number(size)
            return bytes(gdb.selected_inferior().read_memory(int(start), count)) if count else b""
        except gdb.error:
            continue
    raise gdb.GdbError("a %s is no text" % kind)


class SameText(gdb.Function):
    """Whether a string consists of these bytes."""

    def __init__(self):
        super().__init__("rr_same_text")

    def invoke(self, value, *wanted):
        wanted = bytes(int(byte) for byte in wanted)
        kind = value.type.strip_typedefs().code
        return string_in(value) == (wanted.rstrip(b" ") if kind not in (gdb.TYPE_CODE_STRUCT, gdb.TYPE_CODE_PTR)
                                  else wanted)


def parts(text):
    """What && and || connect, and the whole text."""
    found, depth, begin, at = [], 0, 0, 0
    for token in TOKEN.findall(text):
        depth += (token in ("(", "[")) - (token in (")", "]"))
        if depth == 0 and token in ("&&", "||"):
            found.append(text[begin:at])
            begin = at + len(token)
        at += len(token)
    return found + [text[begin:]] + ([text] if found else [])


def mistake(place, text):
    """What gdb says of a member or an operator that does not exist."""
    for part in parts(text):
        try:
            place.type_of(place.without_values(part))
        except gdb.error as error:
            message = str(error)
            if any(sign in message for sign in MISTAKES):
                return message
    return None


class Condition(gdb.Command):
    """rr-condition ADDRESS TEXT: prints the language and the text that gdb is to evaluate, or why it never can."""

    def __init__(self):
        super().__init__("rr-condition", gdb.COMMAND_DATA)

    def invoke(self, argument, _):
        address, _, text = argument.partition(" ")
        language, wrong = "auto", None
        try:
            place = Place(int(address, 0))
            language = place.language
            text = spoken(place, text)
            wrong = mistake(place, text)
        except Unjudged:
            pass
        print("wrong " + wrong if wrong else "right %s %s" % (language, text))


class Location(gdb.Command):
    """rr-place EXPRESSION: prints the address of its value, and the size."""

    def __init__(self):
        super().__init__("rr-place", gdb.COMMAND_DATA)

    def invoke(self, argument, _):
        value = gdb.parse_and_eval(argument)
        if value.type.strip_typedefs().code in (gdb.TYPE_CODE_REF, gdb.TYPE_CODE_RVALUE_REF):
            value = value.referenced_value()
        if value.address is None:
            raise gdb.GdbError("it is not located in memory")
        print("%d %d" % (int(value.address), value.type.sizeof))


class Walk(gdb.Command):
    """rr-walk EXPRESSION: keeps its value as $rr_walk, in every language."""

    def __init__(self):
        super().__init__("rr-walk", gdb.COMMAND_DATA)

    def invoke(self, argument, _):
        gdb.set_convenience_variable("rr_walk", gdb.parse_and_eval(argument))


def load_conditions():
    Condition()
    Walk()
    Location()
    SameText()
