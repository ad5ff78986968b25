# Makes lines "BUILD MODE FAMILY KIND..." of lines "BUILD KIND FAMILY HOW": what run.sh is to run.
#
#	all	everything; otherwise what BEGIN names
#	modes	a list of batch, alone, child, long and refused
#	wanted	a list of BUILD, BUILD/FAMILY or BUILD/FAMILY/KIND; empty for every one
BEGIN {
	some = split(wanted, want, " ")
	BATCH = 60 # kinds in one recording
	TURNS = 5 # builds that take turns, see takes_turn
	# What `make check` runs, of the strictest build: nothing in it moves.
	sampled["c_static_O0/instructions"]; sampled["c_static_O0/targets"]; sampled["c_static_O0/signals"]
	n = split("call_null call_missing ud2", list, " ")
	for (i = 1; i <= n; i++)
		alone[list[i]]
}

# With the default action, rr replays no end where rsp is 0, and tells no siginfo where it has no stack for
# its own calls, see differences.list.
function ends_without_stack() {
	return $2 ~ /^stack_.*_null$|^enter_huge$/
}

function is_wanted(i) {
	if (!some)
		return 1
	for (i = 1; i <= some; i++)
		if (want[i] == $1 || want[i] == $1 "/" $3 || want[i] == $1 "/" $3 "/" $2)
			return 1
	return 0
}

# A line for run.sh, if it is of the modes that are wanted.
function plan(text, part) {
	split(text, part, " ")
	if (index(" " modes " ", " " part[2] " "))
		print text
}

function flush(key) {
	if (key in line)
		plan(line[key])
	delete line[key]
	count[key] = 0
}

!is_wanted() { next }

{
	if (!($1 in number))
		number[$1] = $1 ~ /^cc_dynamic/ ? -1 : builds++
	row[$1]++
}

# Shall this build run it in a process of its own? Starting the C++ library takes 1.8 million single steps
# each time, so what is not C++ runs there in batches only.
function may_be_alone() {
	return some || $1 !~ /^cc_dynamic/ || $3 == "classes"
}

# With the default action each kind is one build's.
function takes_turn() {
	if ($3 == "classes")
		return row[$1] % 2 == ($1 ~ /^cc_dynamic/)
	return row[$1] % TURNS == number[$1]
}

# A batch for each family; wanted by its name, a kind is one for itself.
$4 == "batch" && (all || ($1 "/" $3) in sampled) {
	key = $1 "/" $3
	if (!(key in line))
		line[key] = $1 " batch " $3
	line[key] = line[key] " " $2
	order[key] = 1
	if (++count[key] == BATCH)
		flush(key)
}

$4 == "batch" && all && !ends_without_stack() && (some || takes_turn()) { plan($1 " alone " $3 " " $2) }
$4 == "batch" && !all && ($1 "/" $3) in sampled && $2 in alone { plan($1 " alone " $3 " " $2) }
$4 != "batch" && all && may_be_alone() {
	plan($1 " " ($4 == "fatal" ? "alone" : $4) " " $3 " " $2)
}

END {
	for (key in order)
		flush(key)
}
