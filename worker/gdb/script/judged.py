# Conditions of watchpoints, read at each hit. gdb itself reads one again whenever a library comes or goes, where the
# program stands then: a name of a library that is not loaded switches the watchpoint off, and the static variable of
# another file can take the place of the one that was meant. Must never change what a condition means: what cannot be
# written so that it means the same in every frame stays with gdb.

import gdb


class Framed(Exception):
    """It belongs to the frame in which it was given."""


class Unmoved(Exception):
    """gdb reads it alike everywhere."""


def block_here():
    try:
        return gdb.selected_frame().block()
    except (gdb.error, RuntimeError):  # no symbols there
        return None


def is_spoken_here(language):
    """Setting it costs as much as the condition itself. gdb tells the language of a frame since 13."""
    frame = gdb.selected_frame()
    return gdb.parameter("language") == "auto" and hasattr(frame, "language") and frame.language() == language


def is_main(symbol):
    objfile = symbol.symtab.objfile
    return (objfile.owner or objfile).filename == gdb.current_progspace().filename


def is_of_file(symbol):
    return any(one.name == symbol.name for one in symbol.symtab.static_block() if one.line == symbol.line)


def address_of(text):
    return int(gdb.parse_and_eval("(long) &(%s)" % text))


def everywhere(symbol, token):
    """A name that means this symbol in every frame; the same name where nothing else can be meant."""
    if symbol.addr_class in (gdb.SYMBOL_LOC_TYPEDEF, gdb.SYMBOL_LOC_CONST, gdb.SYMBOL_LOC_LABEL):
        return token
    if symbol.needs_frame:
        raise Framed
    written = symbol.name if symbol.name == token else "'%s'" % symbol.name
    if is_of_file(symbol):
        if language_here() not in ("c", "c++"):
            raise Framed
        written = "'%s'::%s" % (symbol.symtab.filename, symbol.name)
    elif not gdb.lookup_global_symbol(symbol.name):
        raise Framed  # the static variable of a function
    if written != token and address_of(written) != address_of(token):
        raise Framed
    return written


def written_for_all(text):
    """The condition for every frame."""
    block, moves, parts, before = block_here(), False, [], ""
    tokens = TOKEN.findall(text)
    for number, token in enumerate(tokens):
        behind = "".join(tokens[number + 1:]).lstrip()
        if re.match(r"[A-Za-z_]", token) and before not in (".", "->", "::", "%") and not behind.startswith("::"):
            symbol, of_this = gdb.lookup_symbol(token, block) if block else (gdb.lookup_global_symbol(token), False)
            if of_this or token == "this":
                raise Framed
            written = everywhere(symbol, token) if symbol else token
            moves |= not symbol or written != token or not is_main(symbol)
            token = written
        parts.append(token)
        before = token if not token.isspace() else before
    if not moves:
        raise Unmoved
    return "".join(parts)


class Written(gdb.Command):
    """rr-judged-as TEXT: prints the language and the text for every frame; nothing, if gdb itself shall read it."""

    def __init__(self):
        super().__init__("rr-judged-as", gdb.COMMAND_DATA)

    def invoke(self, argument, _):
        try:
            print("judged %s %s" % (language_here(), written_for_all(argument)))
        except (Framed, Unmoved, gdb.error, RuntimeError):
            pass


class Judged(gdb.Function):
    """Whether the condition of this number holds. A stop is never lost: where it cannot be read, it holds."""

    def __init__(self):
        super().__init__("rr_judged")
        self.kept, self.unread = [], {}

    def keep(self, language, text):
        if (language, text) not in self.kept:
            self.kept.append((language, text))
        return self.kept.index((language, text))

    def invoke(self, number):
        language, text = self.kept[int(number)]
        before = None if is_spoken_here(language) else gdb.parameter("language")
        if before:
            gdb.execute("set language " + language, to_string=True)
        self.unread.pop(int(number), None)
        try:
            return bool(gdb.parse_and_eval(text))
        except gdb.error as error:
            self.unread[int(number)] = str(error)
            return True
        finally:
            if before:
                gdb.execute("set language " + before, to_string=True)


class Keep(gdb.Command):
    """rr-judge LANGUAGE TEXT: prints the number for $rr_judged."""

    def __init__(self, judged):
        super().__init__("rr-judge", gdb.COMMAND_DATA)
        self.judged = judged

    def invoke(self, argument, _):
        print("judge %d" % self.judged.keep(*argument.partition(" ")[::2]))


class Unread(gdb.Command):
    """rr-unjudged LANGUAGE TEXT: why it could not be read where it was judged last; nothing, if it could."""

    def __init__(self, judged):
        super().__init__("rr-unjudged", gdb.COMMAND_DATA)
        self.judged = judged

    def invoke(self, argument, _):
        print("unread " + self.judged.unread.get(self.judged.keep(*argument.partition(" ")[::2]), ""))


def load_judged():
    Written()
    judged = Judged()
    Keep(judged)
    Unread(judged)
