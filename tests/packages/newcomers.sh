#!/bin/sh
# Builds the packages in one bare root and uses them in another, which has nothing of the build: the
# .deb of each release in that release, the wheel and the npm packages of Debian 12 in both. As root or
# through sudo; see tests/bare/run.sh.
#
#	newcomers.sh CLIENTS [RELEASE...]	default: bookworm trixie
#
# CLIENTS is what `make deps-clients` made. Environment: BARE_CACHE, where downloads are kept. Prints
# "N passed, N failed" for each release.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bare=$here/../bare/run.sh
clients=$1
shift
[ $# -gt 0 ] || set -- bookworm trixie

OLDEST=bookworm # what is built here runs on later releases as well
deb='make deps FOR=deb
make deb
mkdir -p ../out && cp build/rr-warden_*_amd64.deb ../out'
everything='make deps FOR="deb clients check"
make wheel npm build/tests/programs/crash
mkdir -p ../out && cp build/*.whl build/*.tgz build/tests/programs/crash ../out
'$deb

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT INT TERM

# give RELEASE: a folder with all that a newcomer gets.
give() {
	mkdir "$scratch/given"
	cp "$here/newcomer.sh" "$here/judge.sh" "$scratch/$1"/*.deb "$scratch/given/"
	(cd "$scratch/$OLDEST" && cp ./*.whl ./*.tgz crash "$scratch/given/")
	# Without the agents' hosts, which need a gigabyte and an account.
	mkdir "$scratch/given/clients"
	(cd "$clients" && cp -r node_modules ./*.mjs tapped.sh "$scratch/given/clients/")
}

use() {
	give "$1"
	used=0
	sh "$bare" -c "sh newcomer.sh" -i "$scratch/given" "$1" || used=1
	rm -rf "$scratch/given"
	return $used
}

sh "$bare" -c "$everything" -o "$scratch/$OLDEST" $OLDEST
status=0
for release in "$@"; do
	[ "$release" = $OLDEST ] || sh "$bare" -c "$deb" -o "$scratch/$release" "$release"
	use "$release" || status=1
done
exit $status
