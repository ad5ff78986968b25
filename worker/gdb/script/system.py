# Printers that this system has beside its libraries, as GLib's of its lists: loaded when the first such value is shown,
# and only from where root alone writes. Must never load what a trace or a user brings.

import importlib.util

GLIB = "/usr/share/glib-2.0/gdb/glib_gdb.py"
GLIB_TYPES = ("GList", "GSList", "GHashTable")


def module_of(path):
    """None: this system has none, or anybody could have written it."""
    folder = os.path.dirname(path)
    if not os.path.isfile(path) or not belongs_to_root(folder) or not belongs_to_root(path):
        return None
    found = importlib.util.spec_from_file_location(os.path.basename(path)[:-len(".py")], path)
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


class System(gdb.printing.PrettyPrinter):
    def __init__(self):
        super().__init__("rr-system")
        self.glib, self.is_loaded = None, False

    def __call__(self, value):
        kind = value.type.unqualified().strip_typedefs()
        if kind.code != gdb.TYPE_CODE_PTR or value.type.code != gdb.TYPE_CODE_PTR:
            return None
        target = value.type.target().unqualified()
        if target.name not in GLIB_TYPES or not int(value) or not target.strip_typedefs().fields():
            return None  # of a hash table, programs often know the name alone
        if not self.is_loaded:
            self.glib, self.is_loaded = module_of(GLIB), True
        return self.glib.pretty_printer_lookup(value) if self.glib else None


def load_system_printers():
    gdb.printing.register_pretty_printer(None, System())
