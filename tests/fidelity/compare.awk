# Judges one recording of kinds; see run.sh. Prints "pass BUILD KIND", or "FAIL BUILD KIND: why" and
# what differs, and "again KIND..." with the kinds that have to run once more, because one before them
# broke the recording or a replay.
#
#	build, mode, kinds, ways, dir	what ran, how it was replayed, and the folder of its files
#	excuses			differences.list

function read_excuses(line, part) {
	while ((getline line < excuses) > 0) {
		if (line ~ /^#/ || line ~ /^ *$/)
			continue
		split(line, part, / +[|] +/)
		excuse_build[++excused] = "^(" part[1] ")$"
		excuse_kind[excused] = "^(" part[2] ")$"
		excuse_fact[excused] = "^(" part[3] ")$"
		excuse_value[excused] = "^(" part[4] ")$"
	}
	close(excuses)
}

function is_excused(kind, fact, value, i) {
	for (i = 1; i <= excused; i++)
		if (build ~ excuse_build[i] && (family "/" kind) ~ excuse_kind[i] &&
		    fact ~ excuse_fact[i] && value ~ excuse_value[i])
			return 1
	return 0
}

# Reads lines "KIND FACT VALUE" into one text a kind and a value for each fact.
function read_facts(source, name, line, at, kind, rest, fact) {
	while ((getline line < (dir "/" name)) > 0) {
		at = index(line, " ")
		kind = substr(line, 1, at - 1)
		sub(/:$/, "", kind)
		rest = substr(line, at + 1)
		at = index(rest, " ")
		fact = substr(rest, 1, at - 1)
		whole[source, kind] = whole[source, kind] line "\n"
		value[source, kind, fact] = substr(rest, at + 1)
		facts[source, kind] = facts[source, kind] " " fact
		seen[source, kind] = 1
	}
	close(dir "/" name)
}

function read_first(name, line) {
	line = ""
	getline line < (dir "/" name)
	close(dir "/" name)
	return line
}

function read_whole(name, line, all) {
	all = ""
	while ((getline line < (dir "/" name)) > 0)
		all = all line "\n"
	close(dir "/" name)
	return all
}

function say(text) {
	if (++said <= 12)
		message = message "     " substr(text, 1, 220) "\n"
}

function shown(source, kind, fact) {
	return ((source, kind, fact) in value) ? value[source, kind, fact] : "nothing (" source ")"
}

# Compares the facts of one kind. Exactly: nothing is excused. Otherwise two values agree as well if the
# names of the addresses do.
function compare(kind, a, b, exactly, list, n, i, fact, done) {
	if (exactly && whole[a, kind] == whole[b, kind])
		return
	n = split(facts[a, kind] facts[b, kind], list, " ")
	for (i = 1; i <= n; i++) {
		fact = list[i]
		if (fact in done || shown(a, kind, fact) == shown(b, kind, fact))
			continue
		done[fact]
		if (!exactly && (shown(a " named", kind, fact) == shown(b " named", kind, fact) ||
				 is_excused(kind, fact, shown(b, kind, fact))))
			continue
		say(fact ": " a " " shown(a, kind, fact) ", " b " " shown(b, kind, fact))
	}
}

# What rr, or our part of it, says when it gives up.
function complaint(all) {
	all = read_whole(way[w] ".err")
	# An ordinary user records in a namespace, where root's files have another owner.
	gsub(/\[ERROR [^\n]*Metadata of [^\n]*/, "", all)
	if (all !~ /(^|\n)(\[(FATAL|ERROR)|rr-warden softpmu:|rr: )/)
		return ""
	sub(/^.*\n\[FATAL/, "[FATAL", all)
	return "     " way[w] ": " substr(all, 1, 400) "\n"
}

# What the program printed in a replay; a replay that is about a child ends with it, before what others
# print.
function compare_told(kind, by) {
	if (mode != "child")
		compare(kind, "told when recorded", by, 1)
	else if (whole[by, kind] != "" && index(whole["told when recorded", kind], whole[by, kind]) != 1)
		say(by ": " whole[by, kind])
}

function compare_kind(kind) {
	message = ""
	said = 0
	if (!(("cache", kind) in seen) && !(("told when recorded", kind) in seen))
		say("it never came")
	compare(kind, "cache", "legs", 1)
	if (mode != "long")
		compare(kind, "cache", "steps", 1)
	for (w = 2; w <= count_of_ways; w++)
		compare_told(kind, "told by " way[w])
	compare(kind, "native", "cache", 0)
	compare(kind, "told natively", "told when recorded", 0)
	if (read_first("native.status") != read_first("record.status"))
		say("it ended with " read_first("record.status") ", natively with " read_first("native.status"))
	return message
}

function judge(i, kind) {
	kind = list[i]
	if (compare_kind(kind) == "" && !(trouble != "" && i == count)) {
		print "pass " build " " kind
		return 1
	}
	print "FAIL " build " " kind " (" mode "):"
	printf "%s%s", message, trouble
	if (trouble == "")
		return 1
	printf "again"
	while (++i <= count)
		printf " %s", list[i]
	printf "\n"
	return 0
}

BEGIN {
	read_excuses()
	read_facts("native", "native.state")
	read_facts("native named", "native.state.named")
	read_facts("cache", "run.state")
	read_facts("cache named", "run.state.named")
	read_facts("legs", "legs.state")
	read_facts("steps", "step.state")
	read_facts("told natively", "native.text")
	read_facts("told natively named", "native.text.named")
	read_facts("told when recorded named", "record.text.named")
	count_of_ways = split("record " ways, way, " ")
	for (w = 1; w <= count_of_ways; w++) {
		read_facts(w == 1 ? "told when recorded" : "told by " way[w], way[w] ".text")
		trouble = trouble complaint()
	}
	count = split(kinds, list, " ")
	for (i = 1; i <= count; i++)
		if (!judge(i))
			break
}
