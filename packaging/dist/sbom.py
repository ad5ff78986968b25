#!/usr/bin/env python3
"""Prints the software bill of materials (SPDX 2.3, JSON) of a release: the source archive, and the
libraries of other projects that the programs load, with the versions they were built against.

Standard library only; the same input gives the same bytes. Fails if it cannot say where a library
comes from.

  sbom.py VERSION ARCHIVE PROGRAM...    SOURCE_DATE_EPOCH is the date of the release
"""

import hashlib
import json
import os
import pathlib
import re
import subprocess
import sys
import time

# The loader belongs to glibc, which is listed with its libc.so.6; libgcc_s is the compiler's.
FROM_SYSTEM = re.compile(r"(linux-vdso|ld-linux-x86-64|libgcc_s)\.so")
# Debian's short names of licences that SPDX writes otherwise.
SPDX_NAMES = {
    "expat": "MIT", "mit": "MIT", "isc": "ISC", "bsd-3-clause": "BSD-3-Clause",
    "bsd-3-clauses": "BSD-3-Clause", "lgpl-2.1": "LGPL-2.1-only", "lgpl-2.1+": "LGPL-2.1-or-later",
    "gpl-2": "GPL-2.0-only",
}


def run(*command):
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


def libraries(programs):
    """The files that the dynamic linker loads for any of the programs."""
    found = {}
    for program in programs:
        for name, path in re.findall(r"^\s*(\S+) => (/\S+) \(", run("ldd", program), re.M):
            if not FROM_SYSTEM.match(name):
                found[name] = os.path.realpath(path)
    return found


def owner(path):
    """The Debian package of a library; dpkg may know it below / or below /usr, which are one. A
    library that the tree carries has the same bytes as the installed one of its name."""
    candidates = [path, path.removeprefix("/usr"), "/usr" + path]
    for candidate in candidates:
        try:
            return run("dpkg-query", "-S", candidate).split(":")[0]
        except subprocess.CalledProcessError:
            continue
    for line in run("/sbin/ldconfig", "-p").splitlines():
        if line.strip().startswith(pathlib.Path(path).name + " "):
            return owner(os.path.realpath(line.split("=> ")[1]))
    sys.exit(f"sbom: no Debian package brings {path}")


def licence(package):
    text = pathlib.Path(f"/usr/share/doc/{package}/copyright").read_text(encoding="utf-8")
    match = re.search(r"^Files: \*$.*?^License: *(.*?)$", text, re.M | re.S)
    return SPDX_NAMES.get(match[1].strip().lower(), "NOASSERTION") if match else "NOASSERTION"


def component(package):
    version, source, source_version = run(
        "dpkg-query", "-W", "-f", "${Version} ${source:Package} ${source:Upstream-Version}", package).split()
    return {
        "SPDXID": f"SPDXRef-{package}", "name": source, "versionInfo": source_version,
        "downloadLocation": "NOASSERTION", "filesAnalyzed": False,
        "licenseConcluded": "NOASSERTION", "licenseDeclared": licence(package),
        "copyrightText": "NOASSERTION", "supplier": "Organization: Debian",
        "externalRefs": [{
            "referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl",
            "referenceLocator": f"pkg:deb/debian/{package}@{version}?arch=amd64"}],
    }


def main(version, archive, *programs):
    data = pathlib.Path(archive).read_bytes()
    digest = hashlib.sha256(data).hexdigest()
    packages = sorted({owner(path) for path in libraries(programs).values()})
    ours = {
        "SPDXID": "SPDXRef-rr-warden", "name": "rr-warden", "versionInfo": version,
        "packageFileName": pathlib.Path(archive).name, "downloadLocation": "NOASSERTION",
        "filesAnalyzed": False, "licenseConcluded": "MIT", "licenseDeclared": "MIT",
        "copyrightText": "2026 the rr-warden maintainers",
        "checksums": [{"algorithm": "SHA256", "checksumValue": digest}],
    }
    depends = [{"spdxElementId": "SPDXRef-rr-warden", "relationshipType": "DEPENDS_ON",
                "relatedSpdxElement": f"SPDXRef-{package}"} for package in packages]
    json.dump({
        "spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
        "name": f"rr-warden-{version}",
        "documentNamespace": f"https://rr-warden.invalid/spdx/rr-warden-{version}-{digest}",
        "creationInfo": {
            "created": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(int(os.environ["SOURCE_DATE_EPOCH"]))),
            "creators": ["Tool: rr-warden-sbom"]},
        "packages": [ours, *map(component, packages)],
        "relationships": [
            {"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
             "relatedSpdxElement": "SPDXRef-rr-warden"}, *depends],
    }, sys.stdout, indent=1)
    print()


main(*sys.argv[1:])
