#!/usr/bin/env python3
"""Packs a bundled staging folder as a Python wheel that holds no Python: pip puts the programs in bin/
where console scripts go, and libexec/ beside that folder, where rr-warden looks for its parts.

Uses the standard library only and no network. The same input gives the same bytes.

  build_wheel.py STAGE METADATA OUT NAME VERSION GLIBC   (METADATA is complete but for its last newline)
"""

import base64
import hashlib
import os
import pathlib
import sys
import time
import zipfile

EXECUTABLE, PLAIN = 0o100755, 0o100644


def digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


class Wheel:
    def __init__(self, path, info, when):
        self.archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9)
        self.info, self.when, self.record = info, when, []

    def add(self, name, data, mode=PLAIN):
        entry = zipfile.ZipInfo(name, self.when)
        entry.external_attr = mode << 16
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.create_system = 3  # the modes count
        self.archive.writestr(entry, data)
        self.record.append(f"{name},sha256={digest(data)},{len(data)}")

    def close(self):
        self.record.append(f"{self.info}/RECORD,,")
        entry = zipfile.ZipInfo(f"{self.info}/RECORD", self.when)
        entry.external_attr = PLAIN << 16
        entry.create_system = 3
        self.archive.writestr(entry, "\n".join(self.record) + "\n")
        self.archive.close()


def place(path, data, info):
    """Where pip is to put a file of the staging folder."""
    if path.parts[0] == "bin":
        return f"{data}/scripts/{path.name}"
    if path.parts[:2] == ("share", "doc") and path.parts[3:4] == ("licences",):
        return f"{info}/licenses/{path.name}"
    return f"{data}/data/{path}"


def main(stage, metadata, out, name, version, glibc):
    tag = f"py3-none-manylinux_{glibc.replace('.', '_')}_x86_64"
    name = name.replace("-", "_")
    info, data = f"{name}-{version}.dist-info", f"{name}-{version}.data"
    when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    target = pathlib.Path(out) / f"{name}-{version}-{tag}.whl"

    wheel = Wheel(target, info, when)
    root = pathlib.Path(stage)
    for file in sorted(path for path in root.rglob("*") if path.is_file()):
        mode = EXECUTABLE if os.access(file, os.X_OK) else PLAIN
        wheel.add(place(file.relative_to(root), data, info), file.read_bytes(), mode)
    wheel.add(f"{info}/METADATA", pathlib.Path(metadata).read_bytes())
    wheel.add(f"{info}/WHEEL", (
        "Wheel-Version: 1.0\nGenerator: rr-warden\n"
        f"Root-Is-Purelib: false\nTag: {tag}\n").encode())
    wheel.close()
    print(target)


if __name__ == "__main__":
    main(*sys.argv[1:])
