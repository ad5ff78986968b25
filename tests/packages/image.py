"""Unpacks an OCI image as an engine does: follows index, manifest and configuration, and checks each digest.

    image.py IMAGE FOLDER     writes FOLDER/root, FOLDER/entry and FOLDER/environment
"""
import gzip
import hashlib
import json
import pathlib
import subprocess
import sys
import tarfile


def main(image, folder):
    folder = pathlib.Path(folder)
    with tarfile.open(image) as archive:
        def blob(descriptor):
            name = "blobs/" + descriptor["digest"].replace(":", "/")
            data = archive.extractfile(name).read()
            if "sha256:" + hashlib.sha256(data).hexdigest() != descriptor["digest"]:
                raise SystemExit(f"{name} does not have its digest")
            if len(data) != descriptor["size"]:
                raise SystemExit(f"{name} does not have its size")
            return data

        layout = json.load(archive.extractfile("oci-layout"))
        if layout != {"imageLayoutVersion": "1.0.0"}:
            raise SystemExit(f"oci-layout: {layout}")
        manifest = json.loads(blob(json.load(archive.extractfile("index.json"))["manifests"][0]))
        config = json.loads(blob(manifest["config"]))
        layer = gzip.decompress(blob(manifest["layers"][0]))
    if "/" not in config["config"]["Labels"]["io.modelcontextprotocol.server.name"]:
        raise SystemExit("the registry looks for the server's name in a label")
    unpacked = "sha256:" + hashlib.sha256(layer).hexdigest()
    if config["rootfs"]["diff_ids"] != [unpacked]:
        raise SystemExit("the layer is not the one that the configuration names")
    # Devices belong to the engine.
    subprocess.run(["tar", "-xf", "-", "-C", folder / "root", "--exclude=./dev/*"], input=layer, check=True)
    (folder / "entry").write_text(config["config"]["Entrypoint"][0])
    (folder / "environment").write_text(" ".join(config["config"]["Env"]))


main(*sys.argv[1:])
