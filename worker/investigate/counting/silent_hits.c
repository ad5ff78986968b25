/*
 * gdb asks the method `stop` of a breakpoint in Python whether it stops. Ours says no where it has
 * noted all that a row needs: the moment and its sum (as fingerprint.c makes it), and the two
 * values.
 */
#include "worker/investigate/counting/silent_hits.h"
#include "worker/gdb/must.h"
#include "worker/session/selection.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/session/taught.h"

#define ROW "rr-silent-hits "

/*
 * It stops all the same at times, so that the search can tell how far it is. A value that needs
 * more memory than its own could be shown otherwise later: only numbers and plain pointers.
 */
static const char definition[] =
    "python exec(\""
    "import time\\n"
    "class rr_silent_hits(gdb.Breakpoint):\\n"
    "    def __init__(self, place):\\n"
    "        value = gdb.parse_and_eval(place)\\n"
    "        plain = value.type.strip_typedefs()\\n"
    "        kinds = (gdb.TYPE_CODE_INT, gdb.TYPE_CODE_ENUM, gdb.TYPE_CODE_BOOL, "
    "gdb.TYPE_CODE_FLT, gdb.TYPE_CODE_PTR)\\n"
    "        if plain.code not in kinds: raise gdb.GdbError('not a number')\\n"
    "        self.prefix = ''\\n"
    "        if plain.code == gdb.TYPE_CODE_PTR:\\n"
    "            if plain.target().strip_typedefs().sizeof == 1: raise gdb.GdbError('a string')\\n"
    "            self.prefix = '(%s) ' % value.type\\n"
    "        gdb.set_convenience_variable('rr_tallied', value.address)\\n"
    "        super().__init__('*$rr_tallied', "
    "gdb.BP_WATCHPOINT, gdb.WP_WRITE)\\n"
    "        self.pointer, self.known = value.address, set()\\n"
    "        if self.type != gdb.BP_HARDWARE_WATCHPOINT: self.delete()\\n"
    "        else: print('" ROW "%d' % self.number)\\n"
    "    def begin(self, until):\\n"
    "        self.begun, self.until, self.rows = time.monotonic(), until, []\\n"
    "        self.old = self.text()\\n"
    "    def text(self):\\n"
    "        return (self.prefix + str(self.pointer.dereference())).replace('\\\\n', ' ')"
    ".replace('\\\\t', ' ')\\n"
    "    def when(self, command):\\n"
    "        said = gdb.execute(command, to_string=True)\\n"
    "        return int(said.split(':')[1].split()[0]) + said.startswith('Completed event')\\n"
    "    def sum(self, frame):\\n"
    "        text = ''.join('0x%x' % (int(frame.read_register(name)) & 0xffffffffffffffff) "
    "for name in 'rax rbx rcx rdx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15'.split())\\n"
    "        sp = int(frame.read_register('rsp')) & 0xffffffffffffffff\\n"
    "        text += bytes(gdb.selected_inferior().read_memory(sp, 128)).hex()\\n"
    "        sum = 2166136261\\n"
    "        for byte in text.encode(): sum = (sum ^ byte) * 16777619 & 0xffffffff\\n"
    "        return sum or 1\\n"
    "    def stop(self):\\n"
    "        old, self.old = self.old, self.text()\\n"
    "        frame = gdb.newest_frame()\\n"
    "        late = len(self.rows) == 100 or time.monotonic() - self.begun > 0.25\\n"
    "        if late or frame.pc() not in self.known: return True\\n"
    "        event = self.when('when')\\n"
    "        if self.until and event >= self.until: return True\\n"
    "        row = '%d %d %d %x %x\\\\t%s\\\\t%s' % (event, self.when('when-ticks'), "
    "gdb.selected_thread().ptid[1], frame.pc(), self.sum(frame), old, self.old)\\n"
    "        self.rows += [row]\\n" /* with append, an interrupt could come before the return */
    "        return False\\n"
    "    def know(self, value):\\n"
    "        if self.old != value: raise gdb.GdbError('shown otherwise')\\n"
    "        self.known.add(gdb.newest_frame().pc())\\n"
    "    def take(self):\\n"
    "        for row in self.rows: print('" ROW "' + row)\\n"
    "        self.begun, self.rows = time.monotonic(), []\\n"
    "\")";

/* A string in Python's notation. False if it does not fit, or would need escapes. */
static bool quote(char *to, size_t size, const char *text)
{
	for (const char *at = text; *at; at++)
		if (*at == '\'' || *at == '\\' || (unsigned char)*at < ' ')
			return false;
	return (size_t)snprintf(to, size, "'%s'", text) < size;
}

int silent_hits_make(struct silent_hits *hits, struct replay *replay, const char *expression)
{
	struct gdb *gdb = replay_gdb(replay);
	struct taught *taught = replay_taught(replay);
	char command[REPLAY_EXPRESSION_MAX + 80], place[REPLAY_EXPRESSION_MAX + 4];
	const char *said;

	*hits = (struct silent_hits){0};
	if (!taught->silent_hits)
		taught->silent_hits = gdb_console(gdb, NULL, definition) == GDB_DONE;
	if (!taught->silent_hits || !quote(place, sizeof(place), expression))
		return 0;
	hits->made = true;
	snprintf(command, sizeof(command), "python rr_the_hits = rr_silent_hits(%s)", place);
	said = selection_console(replay, command) ? strstr(gdb_console_text(gdb), ROW) : NULL;
	hits->watch = said ? (int)strtol(said + sizeof(ROW) - 1, NULL, 10) : 0;
	hits->on = hits->watch > 0;
	return hits->watch;
}

/* An interrupt can come when gdb has made the watchpoint and not said its number yet. */
void silent_hits_end(struct silent_hits *hits, struct replay *replay)
{
	if (!hits->made || replay_worker(replay)->broken)
		return;
	gdb_must_console(replay_gdb(replay),
	    "python [each.delete() for each in gdb.breakpoints() if "
	    "isinstance(each, rr_silent_hits)]");
	*hits = (struct silent_hits){0};
}

void silent_hits_begin(struct silent_hits *hits, struct replay *replay, long long until)
{
	char command[80];

	if (!hits->on)
		return;
	snprintf(command, sizeof(command), "python rr_the_hits.begin(%lld)", until);
	hits->on = selection_console(replay, command);
}

void silent_hits_know(struct silent_hits *hits, struct replay *replay, const char *value)
{
	char command[SILENT_HITS_VALUE_MAX + 80], shown[SILENT_HITS_VALUE_MAX + 4];

	if (!hits->on)
		return;
	hits->on = value && strlen(value) < SILENT_HITS_VALUE_MAX &&
		   quote(shown, sizeof(shown), value) &&
		   snprintf(command, sizeof(command), "python rr_the_hits.know(%s)", shown) > 0 &&
		   selection_console(replay, command);
}

void silent_hits_stop_all(struct silent_hits *hits, struct replay *replay)
{
	if (hits->on)
		gdb_must_console(replay_gdb(replay), "python rr_the_hits.known.clear()");
}

/* A number behind spaces; moves *text behind it. */
static unsigned long long next_number(const char **text, int base)
{
	char *end;
	unsigned long long number = strtoull(*text, &end, base);

	*text = end;
	return number;
}

/* A line behind ROW; false if it is not one of ours. */
static bool read_row(char *line, struct moment *moment, const char **old, const char **new)
{
	char *first = strchr(line, '\t'), *second = first ? strchr(first + 1, '\t') : NULL;
	const char *at = line;

	if (!second)
		return false;
	*first = *second = '\0';
	*old = first + 1;
	*new = second + 1;
	*moment = (struct moment){0};
	moment->event = (long long)next_number(&at, 10);
	moment->ticks = (long long)next_number(&at, 10);
	moment->tid = (int)next_number(&at, 10);
	moment->pc = next_number(&at, 16);
	moment->sum = (unsigned)next_number(&at, 16);
	return at == first && moment->sum != 0;
}

void silent_hits_take(
    struct silent_hits *hits, struct replay *replay, silent_hits_get *get, void *context)
{
	struct gdb *gdb = replay_gdb(replay);
	const struct moment here = *replay_now(replay);
	const char *text, *old, *new;
	char *rows, *rest, *line;
	struct moment hit;

	if (!hits->on)
		return;
	gdb_must_console(gdb, "python rr_the_hits.take()");
	if (replay_worker(replay)->broken)
		return;
	text = gdb_console_text(gdb);
	rows = rest = strdup(text);
	while (rest && (line = strsep(&rest, "\n")))
		if (strncmp(line, ROW, sizeof(ROW) - 1) == 0 &&
		    read_row(line + sizeof(ROW) - 1, &hit, &old, &new)) {
			replay_arrived(replay, &hit);
			get(context, replay, old, new);
		}
	free(rows);
	replay_arrived(replay, &here);
}
