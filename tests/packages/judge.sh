# shellcheck shell=sh
# Counts passed and failed checks; other scripts source it. `log` names the file that try writes to.

# shellcheck disable=SC2034 # for who sources it
passed=0 failed=0 log=

judge() { # judge STATUS NAME
	if [ "$1" = 0 ]; then
		passed=$((passed + 1))
		echo "ok: $2"
	else
		failed=$((failed + 1))
		echo "FAILED: $2"
		[ ! -f "$log" ] || tail -n 30 "$log" | sed 's/^/    /'
	fi
}

# try NAME COMMAND...
try() {
	name=$1
	shift
	status=0
	"$@" >"$log" 2>&1 || status=1
	judge "$status" "$name"
}
