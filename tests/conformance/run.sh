#!/bin/sh
# Runs the conformance suite against the test-only server, behind a gateway that speaks HTTP for it.
# run.sh CLIENTS_FOLDER SERVER [OUTPUT_FOLDER]
set -eu
here=$(cd "$(dirname "$0")" && pwd)
clients=$1 server=$2 output=${3:-$(mktemp -d)}
port=${CONFORMANCE_PORT:-8831}
PATH=$clients/node_modules/.bin:$PATH

supergateway --stdio "$server" --outputTransport streamableHttp --stateful --port "$port" \
	--logLevel none &
gateway=$!
trap 'kill "$gateway" 2>/dev/null || true' EXIT INT TERM

tries=0
until node -e "require('net').connect($port, '127.0.0.1').on('connect', () => process.exit(0)).on('error', () => process.exit(1))"; do
	tries=$((tries + 1))
	[ "$tries" -lt 100 ] || {
		echo "the gateway does not listen on $port" >&2
		exit 1
	}
	sleep 0.2
done

failed=0
for revision in 2025-11-25 2026-07-28; do
	echo "== $revision"
	conformance server --url "http://127.0.0.1:$port/mcp" --requirements "$revision" \
		--expected-failures "$here/expected-$revision.yml" -o "$output/$revision" \
		>"$output/$revision.log" 2>&1 || failed=1
	grep -aE '^(✗|Total:)|aseline' "$output/$revision.log" || true
done
exit $failed
