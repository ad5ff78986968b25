#!/usr/bin/env python3
"""Writes an OCI image layout (one archive) with one layer, from a root file system as an archive.

  oci.py ROOT.tar VERSION NAME IMAGE.tar   NAME: the server's in the MCP registry, which looks for it

Uses the standard library only. The same input gives the same bytes: the time is SOURCE_DATE_EPOCH.
"""

import gzip
import hashlib
import io
import json
import os
import shutil
import sys
import tarfile
import tempfile
import time

# The server starts programs of its own in namespaces and needs no right beyond a user's.
CONFIG = {
    "User": "1000:1000",
    "Env": ["PATH=/usr/local/bin:/usr/bin:/bin", "HOME=/home/warden", "LC_ALL=C.UTF-8"],
    "Entrypoint": ["/usr/local/bin/rr-warden"],
    "WorkingDir": "/home/warden",
    "Volumes": {"/home/warden/.local/share/rr": {}},
}
PART = 1 << 20


def config_of(name):
    return CONFIG | {"Labels": {"io.modelcontextprotocol.server.name": name}}


def epoch():
    return int(os.environ.get("SOURCE_DATE_EPOCH", "0"))


def parts(file):
    file.seek(0)
    while part := file.read(PART):
        yield part


def digest(file):
    total = hashlib.sha256()
    for part in parts(file):
        total.update(part)
    return "sha256:" + total.hexdigest()


def compress(root):
    """The layer as a temporary file."""
    layer = tempfile.TemporaryFile()
    with gzip.GzipFile(filename="", fileobj=layer, mode="wb", compresslevel=6, mtime=0) as packed:
        for part in parts(root):
            packed.write(part)
    return layer


class Layout:
    def __init__(self, path):
        self.archive = tarfile.open(path, "w", format=tarfile.PAX_FORMAT)

    def add(self, name, file):
        entry = tarfile.TarInfo(name)
        entry.size, entry.mtime, entry.mode = file.seek(0, os.SEEK_END), epoch(), 0o644
        file.seek(0)
        self.archive.addfile(entry, file)

    def add_json(self, name, value):
        self.add(name, io.BytesIO(json.dumps(value, sort_keys=True).encode()))

    def add_blob(self, file, kind):
        """Adds content by its digest, and returns its descriptor."""
        name = digest(file)
        self.add("blobs/" + name.replace(":", "/"), file)
        return {"mediaType": kind, "digest": name, "size": file.seek(0, os.SEEK_END)}

    def add_json_blob(self, value, kind):
        return self.add_blob(io.BytesIO(json.dumps(value, sort_keys=True).encode()), kind)


def main(root, version, name, image):
    oci = "application/vnd.oci.image."
    when = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(epoch()))
    layout = Layout(image + ".new")
    layout.add_json("oci-layout", {"imageLayoutVersion": "1.0.0"})
    with open(root, "rb") as file:
        unpacked = digest(file)
        layer = layout.add_blob(compress(file), oci + "layer.v1.tar+gzip")
    config = layout.add_json_blob({
        "created": when, "architecture": "amd64", "os": "linux", "config": config_of(name),
        "rootfs": {"type": "layers", "diff_ids": [unpacked]},
        "history": [{"created": when, "created_by": "packaging/container/build.sh"}],
    }, oci + "config.v1+json")
    manifest = layout.add_json_blob({
        "schemaVersion": 2, "mediaType": oci + "manifest.v1+json", "config": config, "layers": [layer],
        "annotations": {"org.opencontainers.image.title": "rr-warden",
                        "org.opencontainers.image.version": version},
    }, oci + "manifest.v1+json")
    manifest["annotations"] = {"org.opencontainers.image.ref.name": f"rr-warden:{version}"}
    layout.add_json("index.json", {"schemaVersion": 2, "mediaType": oci + "index.v1+json",
                                   "manifests": [manifest]})
    layout.archive.close()
    shutil.move(image + ".new", image)
    print(image)


if __name__ == "__main__":
    main(*sys.argv[1:])
