#!/usr/bin/env python3
"""Unpacks an MCP bundle as a host does, holds its manifest to the format's rules, and prints the command.

  mcpb.py BUNDLE FOLDER   FOLDER is new
"""

import json
import os
import sys
import zipfile

KNOWN = {"manifest_version", "name", "display_name", "version", "description", "author", "license", "keywords",
         "server", "tools_generated", "prompts_generated", "compatibility"}


def unpack(bundle, folder):
    with zipfile.ZipFile(bundle) as archive:
        for entry in archive.infolist():
            assert not entry.filename.startswith("/") and ".." not in entry.filename.split("/"), entry.filename
            path = archive.extract(entry, folder)
            os.chmod(path, (entry.external_attr >> 16) & 0o777)


def main(bundle, folder):
    unpack(bundle, folder)
    with open(os.path.join(folder, "manifest.json"), encoding="utf-8") as file:
        manifest = json.load(file)
    # The format refuses names that it does not know.
    assert manifest.keys() == KNOWN, manifest.keys() ^ KNOWN
    assert manifest["manifest_version"] == "0.3" and manifest["author"]["name"]
    assert manifest["compatibility"] == {"platforms": ["linux"]}
    server = manifest["server"]
    assert server["type"] == "binary" and os.access(os.path.join(folder, server["entry_point"]), os.X_OK)
    config = server["mcp_config"]
    command = config["command"].replace("${__dirname}", os.path.abspath(folder))
    assert os.path.samefile(command, os.path.join(folder, server["entry_point"]))
    assert "@" not in manifest["version"]
    print(command, *config["args"])


main(*sys.argv[1:])
