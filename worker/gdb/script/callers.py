# The nearest caller with a name, and whether any caller can have lines, for callers.c.

import re
import gdb


def caller(name, most):
    frame = gdb.selected_frame()
    for level in range(1, most):
        frame = frame.older()
        if frame is None:
            break
        if frame.name() == name:
            return level
    return 0


def rr_caller(name, most):
    """Prints how far out from the selected frame it is; 0: there is none."""
    print("rr-caller", caller(name, most))


# The C library, and what rr loads.
OTHERS = re.compile(r"/(ld|lib(c|m|mvec|pthread|dl|rt|resolv|util|nsl|anl|nss_\w+|rr(preload|page|audit)\w*))[-.][^/]*$")


def rr_lines():
    """Prints whether any code has lines that may be the program's own: the C library's and rr's are not."""
    owners = {objfile.filename: (objfile.owner or objfile).filename for objfile in gdb.objfiles()}
    told = gdb.execute("maint info sections -all-objects .debug_line .zdebug_line", to_string=True)
    files = [part.partition("'")[0] for part in told.split("file: `")[1:] if "debug_line" in part.partition("'")[2]]
    print("rr-lines", int(any(not OTHERS.search(owners.get(file) or file) for file in files)))
