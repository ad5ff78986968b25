#!/bin/sh
# Takes the wheels and npm packages of this machine into bare roots, to somebody who has only pip, or only
# npm: see first_minutes.sh. As root or through sudo.
#
#	newcomer.sh BUILD PROGRAM [RELEASE...]	default: bookworm trixie; PROGRAM: one that crashes
set -eu
here=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd) program=$2
shift 2

given=$(mktemp -d)
trap 'rm -rf "$given"' EXIT INT TERM
cp "$build"/rr_warden*.whl "$build"/rr-warden-*.tgz "$here/first_minutes.sh" "$here/../packages/judge.sh" "$given/"
cp "$program" "$given/crash"
status=0
for way in pip npm; do
	sh "$here/run.sh" -c "sh first_minutes.sh $way" -i "$given" "$@" || status=1
done
exit $status
