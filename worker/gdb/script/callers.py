# The nearest caller with a name, for callers.c.

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
