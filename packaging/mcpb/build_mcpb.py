#!/usr/bin/env python3
"""Packs bundled staging folders and a manifest as an MCP bundle (.mcpb), which a host unpacks and starts.

  build_mcpb.py MANIFEST BUNDLE STAGE...   programs and parts of all stages go into server/

Uses the standard library only and no network. The same input gives the same bytes.
"""

import os
import pathlib
import sys
import time
import zipfile

EXECUTABLE, PLAIN = 0o100755, 0o100644


def belongs(path):
    """Manuals and completions are for people, who do not look into a host's folders."""
    return path.parts[0] in ("bin", "libexec") or "licences" in path.parts


def main(manifest, bundle, *stages):
    when = time.gmtime(max(int(os.environ["SOURCE_DATE_EPOCH"]), 315532800))[:6]
    with zipfile.ZipFile(bundle + ".new", "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:

        def add(name, data, mode):
            entry = zipfile.ZipInfo(name, when)
            entry.external_attr = mode << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # the modes count
            archive.writestr(entry, data)

        add("manifest.json", pathlib.Path(manifest).read_bytes(), PLAIN)
        for stage in map(pathlib.Path, stages):
            for file in sorted(path for path in stage.rglob("*") if path.is_file()):
                name = file.relative_to(stage)
                if belongs(name):
                    add(f"server/{name}", file.read_bytes(), EXECUTABLE if os.access(file, os.X_OK) else PLAIN)
    os.replace(bundle + ".new", bundle)
    print(bundle)


if __name__ == "__main__":
    main(*sys.argv[1:])
