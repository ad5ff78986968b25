#!/bin/sh
# Checks `make dist`: unpacked elsewhere, the release makes the same release again, byte for byte; its
# checksums and bill of materials are correct; the spec file and the PKGBUILD build.
#
#	dist.sh BUILD
set -eu
here=$(cd "$(dirname "$0")" && pwd)
top=$(cd "$here/../.." && pwd)
build=$1
. "$here/judge.sh"
# Under /var/tmp, because makepkg runs as a user without a name and needs to reach it.
scratch=$(mktemp -d /var/tmp/rr-warden-dist.XXXXXX)
chmod 755 "$scratch"
log=$scratch/log
trap 'rm -rf "$scratch"' EXIT INT TERM

make -C "$top" --no-print-directory BUILD="$build" dist >/dev/null
dist=$(cd "$top" && cd "$build/dist" && pwd)
archive=$(echo "$dist"/rr-warden-*.tar.xz)

try "the checksums are those of the files" sh -c "cd '$dist' && sha256sum --check --strict SHA256SUMS"

again() {
	tar -xf "$archive" -C "$scratch" &&
		(umask 077 && env -u MAKEFLAGS TZ=Asia/Tokyo make -C "$scratch/$(basename "$archive" .tar.xz)" dist) &&
		cmp "$archive" "$scratch"/rr-warden-*/build/dist/rr-warden-*.tar.xz &&
		cmp "$dist/SHA256SUMS" "$scratch"/rr-warden-*/build/dist/SHA256SUMS
}
try "unpacked elsewhere, the release makes the same release" again

materials() {
	python3 - "$dist"/rr-warden-*.spdx.json "$archive" <<-'END'
		import hashlib, json, sys
		document = json.load(open(sys.argv[1]))
		packages = {package["SPDXID"]: package for package in document["packages"]}
		digest = hashlib.sha256(open(sys.argv[2], "rb").read()).hexdigest()
		assert packages["SPDXRef-rr-warden"]["checksums"][0]["checksumValue"] == digest
		for relation in document["relationships"]:
		    assert relation["relatedSpdxElement"] in packages, relation
		names = {package["name"] for package in packages.values()}
		wanted = {"jansson", "libseccomp", "libcap2", "libbsd", "libinih", "pcre2", "zydis"}
		assert wanted <= names, wanted - names
		assert all(package["versionInfo"] for package in packages.values())
	END
}
try "the bill of materials names the archive and every library" materials

rpm_builds() {
	mkdir -p "$scratch/rpm/SOURCES"
	cp "$archive" "$scratch/rpm/SOURCES/"
	rpmbuild -ba --nodeps --nocheck -D "_topdir $scratch/rpm" "$dist/rr-warden.spec"
}
try "rpmbuild builds the spec file" rpm_builds
# shellcheck disable=SC2046 # no spaces in the names
rpm_lints() { rpmlint --strict -r "$top/packaging/rpm/rr-warden.rpmlintrc" "$dist/rr-warden.spec" $(find "$scratch/rpm" -name '*.rpm' ! -name '*debug*'); }
try "rpmlint is silent but for what rr-warden.rpmlintrc explains" rpm_lints

arch_builds() {
	mkdir "$scratch/arch"
	cp "$archive" "$dist/PKGBUILD" "$scratch/arch/"
	if [ "$(id -u)" = 0 ]; then # makepkg refuses to run as root
		chown -R 29871:29871 "$scratch/arch"
		set -- setpriv --reuid 29871 --regid 29871 --clear-groups
	fi
	(cd "$scratch/arch" && env -u MAKEFLAGS HOME="$scratch/arch" PKGEXT=.pkg.tar.xz "$@" makepkg --nodeps --nocheck) &&
		bsdtar -tf "$scratch"/arch/rr-warden-[0-9]*.pkg.tar.xz | grep -x usr/bin/rr-warden
}
try "makepkg builds the PKGBUILD" arch_builds
try "shellcheck passes the PKGBUILD" shellcheck --shell=bash --exclude=SC2034,SC2154,SC2164 "$dist/PKGBUILD"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
