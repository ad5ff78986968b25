#!/bin/sh
# Prints the table of skills that the server shows to its clients, as C: each SKILL.md byte for byte,
# with the fields of its frontmatter, its size and its digest. Fails if a skill is not as the
# Skills extension of MCP requires: the folder's name in `name`, a `description`, and nothing else here.
#
#   skills.sh FOLDER...     the folders of the skills
set -eu

fail() {
	echo "skills.sh: $1" >&2
	exit 1
}

# The inside of a C string. Escapes question marks, because they could begin a trigraph.
quoted() {
	sed 's/[\\"?]/\\&/g'
}

field() {
	sed -n "2,3s/^$1: //p" "$file"
}

echo '#include "supervisor/skills.h"'
rows=
number=0
for folder; do
	file=$folder/SKILL.md
	name=$(field name)
	description=$(field description)
	[ "$(sed -n '1p;4p' "$file" | tr '\n' ' ')" = '--- --- ' ] || fail "$file has another frontmatter"
	[ "$name" = "${folder##*/}" ] || fail "$file is not named after its folder"
	case $description in
	'' | *': '* | *' #'* | [!A-Z]*) fail "$file has no description that is a plain YAML line" ;;
	esac
	size=$(($(wc -c <"$file")))
	digest=$(sha256sum <"$file")
	printf 'static const char text_%d[] =\n' "$number"
	quoted <"$file" | sed 's/.*/    "&\\n"/'
	printf ';\n_Static_assert(sizeof(text_%d) - 1 == %d, "%s is not whole");\n' "$number" "$size" "$name"
	rows="$rows    {\"skill://$name/SKILL.md\", \"$name\", \"$(printf '%s' "$description" | quoted)\",
	text_$number, \"sha256:${digest%% *}\", $size},
"
	number=$((number + 1))
done
[ "$number" -gt 0 ] || fail "there are no skills"
printf 'const struct mcp_skill skills_shown[] = {\n%s};\n' "$rows"
printf 'const size_t skills_count = %d;\n' "$number"
