#!/bin/sh
# Draws a session as an SVG: the demo's output from standard input, its three calls and what they
# found. Changes only the name of the trace's folder.
#
#   build/tests/demo | picture.sh light|dark >.github/session-light.svg
set -eu

# what the text is written on; then plain, step, call, code, fact and time. Each is readable on the first:
# a contrast of 4.5 or more.
case ${1-} in
light) colors="#f6f8fa #1f2328 #000 #116329 #0550ae #953800 #59636e" ;;
dark) colors="#0d1117 #c9d1d9 #fff #7ee787 #79c0ff #ffa657 #8b949e" ;;
*)
	echo "usage: $0 light|dark" >&2
	exit 2
	;;
esac

awk -v colors="$colors" '
BEGIN { split(colors, color, " ") }
function escaped(text) {
	gsub(/&/, "\\&amp;", text); gsub(/</, "\\&lt;", text); gsub(/>/, "\\&gt;", text)
	return text
}
function style(text) {
	if (text ~ /^[0-9]\. / || text ~ /^Found/) return "step"
	if (text ~ /^  -> /) return "call"
	if (text ~ /^ *=> / || text ~ /^  list_corruption/) return "code"
	if (text ~ /^ *was / || text ~ /SIGSEGV|not mapped/) return "fact"
	if (text ~ /^ *\([0-9.]+ s\)$/) return "time"
	return "plain"
}
# Only the three calls: from the recording to the writer, and the last words.
/^5\. /  { shown = 0 }
/^1\. /  { shown = 1 }
/^Found/ { shown = 1; line[count++] = "" }
/-> rr_replay_stop/ { shown = 0 }
!shown { next }
{
	gsub(/\/tmp\/[^ ]*\/trace/, "/tmp/trace")
	line[count++] = $0
}
END {
	if (count < 20) { print "picture.sh: this is not the demo'"'"'s output" > "/dev/stderr"; exit 1 }
	while (line[count - 1] == "") count--
	height = count * 19 + 62
	printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"860\" height=\"%d\" viewBox=\"0 0 860 %d\" role=\"img\"", height, height
	print " aria-label=\"A session: three calls from a crash to the line that corrupted the memory\">"
	print "<style>text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,\"DejaVu Sans Mono\",monospace;white-space:pre;fill:" color[2] "}"
	print ".step{fill:" color[3] ";font-weight:bold}.call{fill:" color[4] "}.code{fill:" color[5] "}.fact{fill:" color[6] "}.time{fill:" color[7] "}</style>"
	print "<rect width=\"100%\" height=\"100%\" rx=\"10\" fill=\"" color[1] "\"/>"
	print "<circle cx=\"22\" cy=\"20\" r=\"6\" fill=\"#ff5f56\"/><circle cx=\"42\" cy=\"20\" r=\"6\" fill=\"#ffbd2e\"/><circle cx=\"62\" cy=\"20\" r=\"6\" fill=\"#27c93f\"/>"
	for (i = 0; i < count; i++)
		if (line[i] != "")
			printf "<text x=\"18\" y=\"%d\" class=\"%s\" xml:space=\"preserve\">%s</text>\n", 56 + i * 19, style(line[i]), escaped(line[i])
	print "</svg>"
}'
