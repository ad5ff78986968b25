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

# SHA-256 of stdin in base64, as policies have it.
digest() {
	sha256sum | cut -c 1-64 | tr a-f A-F | basenc -d --base16 | base64
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
