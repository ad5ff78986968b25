#!/bin/sh
# Prints the table of apps that hosts with MCP Apps show, as C: each FOLDER/NAME.html with the style and the
# script of the same name put in, and with the script's digest in the page's policy, which allows no other.
#
#   apps.sh VERSION FILE.html...
set -eu

# The inside of a C string. Escapes question marks, because they could begin a trigraph.
quoted() {
	sed 's/[\\"?]/\\&/g; s/.*/    "&\\n"/'
}

# SHA-256 of stdin in base64, as policies have it: 32 bytes are 43 characters and "=".
digest() {
	sha256sum | awk '{
		digits = "0123456789abcdef"
		letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"
		hex = substr($1, 1, 64) "00"
		for (at = 1; at < 66; at += 6) {
			three = 0
			for (i = 0; i < 6; i++)
				three = three * 16 + index(digits, substr(hex, at + i, 1)) - 1
			text = text substr(letters, int(three / 262144) + 1, 1) substr(letters, int(three / 4096) % 64 + 1, 1) \
				substr(letters, int(three / 64) % 64 + 1, 1) substr(letters, three % 64 + 1, 1)
		}
		print substr(text, 1, 43) "="
	}'
}

version=$1
shift
echo '#include "supervisor/app/apps.h"'
rows=
number=0
for page; do
	base=${page%.html}
	name=${base##*/}
	script=$(sed "s/@VERSION@/$version/" "$base.js")
	policy=$(printf '\n%s\n' "$script" | digest)
	printf 'static const char page_%d[] =\n' "$number"
	while IFS= read -r line; do
		case $line in
		@STYLE@) cat "$base.css" ;;
		*@SCRIPT@*) printf '%s\n%s\n%s\n' "${line%@SCRIPT@*}" "$script" "${line#*@SCRIPT@}" ;;
		*@DIGEST@*) printf '%s%s%s\n' "${line%@DIGEST@*}" "$policy" "${line#*@DIGEST@}" ;;
		*) printf '%s\n' "$line" ;;
		esac
	done <"$page" | quoted
	printf '    "";\n'
	rows="$rows    {APP_URI \"$name\", page_$number},
"
	number=$((number + 1))
done
printf 'const struct mcp_app apps_shown[] = {\n%s};\n' "$rows"
printf 'const size_t apps_count = %d;\n' "$number"
