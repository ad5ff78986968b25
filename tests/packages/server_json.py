#!/usr/bin/env python3
"""Holds the entry of the MCP registry to the packages that it names and to the registry's rules.

  server_json.py SERVER.JSON WHEEL MAIN.TGZ PLATFORM.TGZ BUNDLE.MCPB

With MCP_SERVER_SCHEMA=FILE (the registry's server.schema.json) and python3-jsonschema it validates
the entry against the whole schema; otherwise against the rules below, which are that schema's.
"""

import hashlib
import json
import os
import re
import sys
import tarfile
import zipfile


def npm_manifest(path):
    with tarfile.open(path) as archive:
        return json.load(archive.extractfile("package/package.json"))


def wheel_metadata(path):
    with zipfile.ZipFile(path) as archive:
        (name,) = [entry for entry in archive.namelist() if entry.endswith(".dist-info/METADATA")]
        return archive.read(name).decode()


def bundle_version(path):
    with zipfile.ZipFile(path) as archive:
        return json.loads(archive.read("manifest.json"))["version"]


def sha256(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def validate(entry):
    schema = os.environ.get("MCP_SERVER_SCHEMA")
    if schema:
        import jsonschema
        with open(schema, encoding="utf-8") as file:
            jsonschema.validate(entry, json.load(file))
    assert re.fullmatch(r"[a-zA-Z0-9.-]+/[a-zA-Z0-9._-]+", entry["name"]), entry["name"]
    assert 3 <= len(entry["name"]) <= 200
    assert 1 <= len(entry["description"]) <= 100, len(entry["description"])
    assert 1 <= len(entry["title"]) <= 100
    for package in entry["packages"]:
        assert {"registryType", "identifier", "transport"} <= package.keys()
        assert package["transport"] == {"type": "stdio"}
        for argument in package.get("packageArguments", []):
            assert argument["type"] == "named" and argument["name"].startswith("--")


def main(entry_path, wheel, main_tgz, platform_tgz, bundle):
    with open(entry_path, encoding="utf-8") as file:
        entry = json.load(file)
    validate(entry)
    packages = {package["registryType"]: package for package in entry["packages"]}
    main_package, platform = npm_manifest(main_tgz), npm_manifest(platform_tgz)
    metadata = wheel_metadata(wheel)

    assert packages["npm"]["identifier"] == main_package["name"]
    assert main_package["mcpName"] == entry["name"]
    assert main_package["optionalDependencies"] == {platform["name"]: platform["version"]}
    assert f"\nName: {packages['pypi']['identifier']}\n" in metadata
    # The registry looks for this line on the package index's page.
    assert f"\nmcp-name: {entry['name']}\n" in metadata
    # The registry takes a bundle from a release's page alone, and hosts check its sum.
    file = f"/v{entry['version']}/rr-warden-{entry['version']}.mcpb"
    assert packages["mcpb"]["identifier"].startswith("https://")
    assert packages["mcpb"]["identifier"].endswith(file), packages["mcpb"]["identifier"]
    assert packages["mcpb"]["fileSha256"] == sha256(bundle)
    image, tag = packages["oci"]["identifier"].split(":")
    assert "/" in image and "version" not in packages["oci"]
    versions = {entry["version"], tag, bundle_version(bundle), main_package["version"], platform["version"],
                packages["npm"]["version"], packages["pypi"]["version"],
                re.search(r"^Version: (.*)$", metadata, re.M)[1]}
    assert len(versions) == 1, versions
    print("valid")


main(*sys.argv[1:])
