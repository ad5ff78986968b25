/*
 * Reads packets of the remote protocol and decides which ones to pass on. Trusts neither end: a
 * malformed or endless packet costs the session and nothing else.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "worker/gdb/inserted.h"
#include "worker/gdb/relay.h"
#include "worker/gdb/widths.h"

#define INTERRUPT_BYTE '\003'
#define THREAD_MAX     64 /* bytes of a thread's name in the protocol: p1234.5678 */
#define CHECKSUM_CHARS 2
#define TARGET_MAX     32 /* bytes of where rr is to go */

/* What the program does, as far as gdb and rr have said. */
enum motion {
	STOPPED,
	RUNNING,
	SEEKING, /* vRun: rr replays to another moment, and reads no packets until it is there */
	SETTING, /* it is there, after a seek of ours, and gets gdb's breakpoints once more */
	LANDING, /* and stops once more at the first resume */
	LANDED,	 /* and is told which thread gdb will ask about */
	SYNCHRONISING, /* stopped, and finding out whether an interrupt byte is still on its way */
};

struct bytes {
	char *at;
	size_t length, size;
};

struct relay {
	struct bytes in[2], out[2]; /* by relay_end */
	bool no_ack, asks_no_ack;
	enum motion motion;
	bool backwards;	    /* the last resume */
	bool took_back;	    /* one of them was */
	bool steps;	    /* the last resume is one step back */
	bool begun;	    /* the last stop is where a thread that was stepped back begins */
	unsigned long goes; /* the thread of the last resume; 0: unknown */
	bool named;	    /* gdb has sent Hc since the last stop: rr knows */
	bool wants_stop, byte_sent;
	unsigned limit;		  /* of how often gdb may run back in a row by itself; 0: none */
	bool limited;		  /* it has come to that */
	unsigned dropped;	  /* replies of rr that answer what we put in */
	char seeks[TARGET_MAX];	  /* where the next resume is to go; "": nowhere */
	bool sought, astray;	  /* it has been there; rr could not go there */
	struct inserted inserted; /* what gdb has set in rr */
	struct bytes held;	  /* the stop that waits for SYNCHRONISING or LANDED to end */
	char resumes[THREAD_MAX]; /* gdb's last Hc, without these two letters; "": none yet */
	char stopped[THREAD_MAX]; /* the thread of rr's last stop; "": none yet */
};

struct relay *relay_new(void)
{
	return calloc(1, sizeof(struct relay));
}

void relay_free(struct relay *relay)
{
	if (!relay)
		return;
	for (int end = RELAY_GDB; end <= RELAY_RR; end++) {
		free(relay->in[end].at);
		free(relay->out[end].at);
	}
	free(relay->held.at);
	inserted_end(&relay->inserted);
	free(relay);
}

static bool append(struct bytes *to, const char *bytes, size_t length)
{
	size_t size = to->size ? to->size : 4096;
	char *bigger;

	while (size - to->length < length)
		size *= 2;
	if (size > 2 * (size_t)RELAY_PACKET_MAX)
		return false;
	if (size != to->size) {
		bigger = realloc(to->at, size);
		if (!bigger)
			return false;
		to->at = bigger;
		to->size = size;
	}
	memcpy(to->at + to->length, bytes, length);
	to->length += length;
	return true;
}

static void drop_front(struct bytes *bytes, size_t length)
{
	bytes->length -= length;
	memmove(bytes->at, bytes->at + length, bytes->length);
}

const char *relay_pending(const struct relay *relay, enum relay_end to, size_t *length)
{
	*length = relay->out[to].length;
	return relay->out[to].at;
}

void relay_sent(struct relay *relay, enum relay_end to, size_t length)
{
	drop_front(&relay->out[to], length);
}

bool relay_is_running(const struct relay *relay)
{
	return relay->motion != STOPPED;
}

bool relay_stepped_before_thread(const struct relay *relay)
{
	return relay->begun;
}

/* A packet of our own: $TEXT#checksum. */
static bool put(struct relay *relay, enum relay_end to, const char *text)
{
	unsigned char sum = 0;
	char tail[8];

	for (const char *c = text; *c; c++)
		sum = (unsigned char)(sum + (unsigned char)*c);
	snprintf(tail, sizeof(tail), "#%02x", sum);
	return append(&relay->out[to], "$", 1) && append(&relay->out[to], text, strlen(text)) &&
	       append(&relay->out[to], tail, strlen(tail));
}

static bool starts(const char *body, size_t length, const char *with)
{
	size_t n = strlen(with);

	return length >= n && memcmp(body, with, n) == 0;
}

static bool is(const char *body, size_t length, const char *text)
{
	return length == strlen(text) && memcmp(body, text, length) == 0;
}

static void copy(char to[THREAD_MAX], const char *from, size_t length)
{
	if (length < THREAD_MAX) {
		memcpy(to, from, length);
		to[length] = '\0';
	}
}

static bool is_backwards(const char *body, size_t length)
{
	return is(body, length, "bc") || is(body, length, "bs");
}

static bool is_resume(const char *body, size_t length)
{
	return is_backwards(body, length) || starts(body, length, "vCont;") ||
	       is(body, length, "c") || is(body, length, "s") || starts(body, length, "C") ||
	       starts(body, length, "S");
}

/* The thread in a name "pPROCESS.THREAD", both in hexadecimal; 0: the name is of no single one. */
static unsigned long thread_of(const char *name)
{
	unsigned long thread = 0;
	char *dot;

	if (*name != 'p')
		return 0;
	strtoul(name + 1, &dot, 16);
	if (*dot == '.' && dot[1] != '-')
		thread = strtoul(dot + 1, NULL, 16);
	return thread;
}

/* The thread that a resume is for: where gdb names no single one, rr takes that of the last stop.
 */
static unsigned long resumed_thread(const struct relay *relay)
{
	unsigned long thread = thread_of(relay->resumes);

	return thread ? thread : thread_of(relay->stopped);
}

/*
 * Whether rr may have selected another thread than gdb. It has not after a step back of the same
 * thread. Sends nothing then, because rr is quick at a row of such steps only if nothing comes in
 * between.
 */
static bool must_name_thread(const struct relay *relay, const char *body, size_t length)
{
	return relay->resumes[0] && !relay->named && is_backwards(body, length) &&
	       (is(body, length, "bc") || !relay->backwards || !thread_of(relay->resumes) ||
		   thread_of(relay->resumes) != thread_of(relay->stopped));
}

/* gdb resumes although the program must stay: gdb is told that it stopped where it was. */
static bool refuse_resume(struct relay *relay)
{
	char failure[THREAD_MAX + 32] = "S00";

	if (relay->stopped[0])
		snprintf(failure, sizeof(failure), "T00thread:%s;", relay->stopped);
	return put(relay, RELAY_GDB, failure);
}

/* Tells rr which thread is meant by what names none. */
static bool name_thread(struct relay *relay, const char *thread)
{
	char request[THREAD_MAX + 2];

	snprintf(request, sizeof(request), "Hc%s", thread);
	relay->dropped++;
	return put(relay, RELAY_RR, request);
}

/* Where gdb was to see a seek. */
static bool stay(struct relay *relay)
{
	relay->motion = STOPPED;
	relay->seeks[0] = '\0';
	return refuse_resume(relay);
}

/* The filename of vRun is empty, its argument in hexadecimal. */
static bool begin_seek(struct relay *relay)
{
	char request[2 * TARGET_MAX + 8] = "vRun;;";
	size_t length = strlen(request);

	/* Only at a `run` would gdb read its value anew, and with that of another moment it takes a
	 * change for none. */
	if (inserted_watches(&relay->inserted))
		return stay(relay);

	for (const char *c = relay->seeks; *c; c++)
		length += (size_t)snprintf(
		    request + length, sizeof(request) - length, "%02x", (unsigned char)*c);
	relay->motion = SEEKING;
	return put(relay, RELAY_RR, request);
}

static bool resume(struct relay *relay, const char *body, size_t length, bool *pass)
{
	if (relay->seeks[0]) {
		*pass = false;
		return begin_seek(relay);
	}
	if (relay->wants_stop) {
		*pass = false;
		return refuse_resume(relay);
	}
	if (relay->limit && is(body, length, "bc") && --relay->limit == 0) {
		relay->limited = true;
		*pass = false;
		return refuse_resume(relay);
	}
	if (must_name_thread(relay, body, length)) {
		if (!name_thread(relay, relay->resumes))
			return false;
		relay->named = true;
	}
	relay->backwards = is_backwards(body, length);
	relay->took_back |= relay->backwards;
	relay->steps = is(body, length, "bs");
	relay->begun = false;
	relay->goes = resumed_thread(relay);
	relay->motion = RUNNING;
	return true;
}

/* A breakpoint that rr has lost is not to be removed from it. */
static bool note_breakpoint(struct relay *relay, const char *body, size_t length, bool *pass)
{
	char plain[WIDTHS_PACKET_MAX];
	const size_t plain_length = widths_rewrite(body, length, plain);

	if (!plain_length)
		return inserted_take(&relay->inserted, body, length, pass) &&
		       (*pass || put(relay, RELAY_GDB, "OK"));
	*pass = false;
	plain[plain_length] = '\0';
	return inserted_take(&relay->inserted, plain, plain_length, &(bool){true}) &&
	       put(relay, RELAY_RR, plain);
}

/* One packet of gdb's; *pass: whether rr is to have it. */
static bool take_request(struct relay *relay, const char *body, size_t length, bool *pass)
{
	*pass = true;
	if (starts(body, length, "Hc")) {
		relay->named = true;
		copy(relay->resumes, body + 2, length - 2);
		return true;
	}
	if (is(body, length, "QStartNoAckMode"))
		relay->asks_no_ack = true;
	else if (starts(body, length, "vRun")) {
		relay->motion = SEEKING;
		inserted_clear(&relay->inserted);
	} else if (starts(body, length, "Z") || starts(body, length, "z"))
		return note_breakpoint(relay, body, length, pass);
	else if (is_resume(body, length))
		return resume(relay, body, length, pass);
	return true;
}

static void note_thread(struct relay *relay, const char *body, size_t length)
{
	static const char key[] = "thread:";
	const char *end = body + length, *at = memmem(body, length, key, sizeof(key) - 1);
	const char *close;

	if (!at)
		return;
	at += sizeof(key) - 1;
	close = memchr(at, ';', (size_t)(end - at));
	copy(relay->stopped, at, (size_t)((close ? close : end) - at));
}

static bool is_stop(const char *body, size_t length)
{
	return length && (body[0] == 'T' || body[0] == 'S');
}

static bool is_end(const char *body, size_t length)
{
	return length && (body[0] == 'W' || body[0] == 'X');
}

static bool hold(struct relay *relay, const char *packet, size_t length)
{
	relay->held.length = 0;
	return append(&relay->held, packet, length);
}

/*
 * rr may have stopped by itself before it saw the interrupt byte, and answers the byte with another
 * stop when it reads it. Its answer to a question that is asked now comes after that stop.
 */
static bool synchronise(struct relay *relay, const char *packet, size_t length)
{
	relay->motion = SYNCHRONISING;
	return hold(relay, packet, length) && put(relay, RELAY_RR, "qC");
}

/*
 * The question is answered, so gdb can now have the stop. When an interrupt has stopped rr, it
 * still takes the thread of the stop before for its own. That one may have ended, and then rr could
 * not come back to a checkpoint that is made here.
 */
static bool synchronised(struct relay *relay)
{
	relay->motion = STOPPED;
	relay->byte_sent = false;
	if (relay->stopped[0] && !name_thread(relay, relay->stopped))
		return false;
	return append(&relay->out[RELAY_GDB], relay->held.at, relay->held.length);
}

/* A thread that is stepped back from its first instruction is not there any more: rr runs to the
 * start of the recording, and stops there in another. */
static bool is_begun(const struct relay *relay, const char *body, size_t length)
{
	unsigned long stopped = thread_of(relay->stopped);

	return relay->motion == RUNNING && relay->steps && !relay->byte_sent &&
	       starts(body, length, "T00") && relay->goes && stopped && relay->goes != stopped;
}

/* At a seek, also at one that fails, rr forgets its breakpoints, which gdb takes to be in. */
static bool set_next(struct relay *relay)
{
	const char *next = inserted_next(&relay->inserted);
	char resumes[THREAD_MAX + 16];

	if (next)
		return put(relay, RELAY_RR, next);
	if (relay->astray)
		return stay(relay);
	snprintf(resumes, sizeof(resumes), "vCont;c:%.*s.-1", (int)strcspn(relay->stopped, "."),
	    relay->stopped);
	relay->motion = LANDING;
	return put(relay, RELAY_RR, resumes);
}

/*
 * rr replies to a seek of ours with a stop, and stops at once at the first resume after it; gdb is
 * to see the second one. Then rr must take the thread of that stop for the one that gdb asks about,
 * as after any other. gdb has the stop only when rr has replied: of two replies in a row, rr's
 * kernel holds the second one back. An error: there is no such place.
 */
static bool take_landing(
    struct relay *relay, const char *packet, size_t whole, const char *body, size_t length)
{
	char request[THREAD_MAX + 4];

	switch (relay->motion) {
	case SEEKING:
		relay->astray = !is_stop(body, length);
		relay->sought = !relay->astray;
		if (relay->sought)
			note_thread(relay, body, length);
		relay->motion = SETTING;
		inserted_rewind(&relay->inserted);
		return set_next(relay);
	case SETTING:
		if (!is(body, length, "OK")) {
			inserted_lose(&relay->inserted);
			relay->sought = false;
		}
		return set_next(relay);
	case LANDING:
		note_thread(relay, body, length);
		snprintf(request, sizeof(request), "Hg%s", relay->stopped);
		relay->motion = LANDED;
		return hold(relay, packet, whole) && put(relay, RELAY_RR, request);
	default:
		relay->motion = STOPPED;
		relay->seeks[0] = '\0';
		relay->named = relay->begun = false;
		return append(&relay->out[RELAY_GDB], relay->held.at, relay->held.length);
	}
}

/* One packet of rr's, whole; *pass: whether gdb is to have it (now). */
static bool take_reply(struct relay *relay, const char *packet, size_t whole, bool *pass)
{
	const char *body = packet + 1;
	size_t length = whole - 2 - CHECKSUM_CHARS;

	*pass = false;
	if (relay->dropped) {
		relay->dropped--;
		return true;
	}
	if (relay->motion == SYNCHRONISING)
		return is_stop(body, length) || synchronised(relay);
	inserted_answer(&relay->inserted, is(body, length, "OK"));
	if (relay->seeks[0] && relay->motion != STOPPED)
		return take_landing(relay, packet, whole, body, length);
	*pass = true;
	if (is_stop(body, length)) {
		relay->named = false;
		note_thread(relay, body, length);
		if (relay->motion == RUNNING && relay->byte_sent) {
			*pass = false;
			return synchronise(relay, packet, whole);
		}
		relay->begun = is_begun(relay, body, length);
	}
	if (is_stop(body, length) || is_end(body, length) || relay->motion == SEEKING)
		relay->motion = STOPPED;
	return true;
}

/* gdb sees acknowledgements switched off once the answer to that has gone through. */
static void note_acks(struct relay *relay, enum relay_end from, const char *body, size_t length)
{
	if (from != RELAY_RR || !relay->asks_no_ack)
		return;
	relay->asks_no_ack = false;
	relay->no_ack = is(body, length, "OK");
}

static bool take_packet(struct relay *relay, enum relay_end from, const char *packet, size_t whole)
{
	enum relay_end to = from == RELAY_GDB ? RELAY_RR : RELAY_GDB;
	const char *body = packet + 1;
	size_t length = whole - 2 - CHECKSUM_CHARS;
	bool pass, ok;

	/* Each end's packets are acknowledged here, and the other's acknowledgements end here. */
	if (!relay->no_ack && !append(&relay->out[from], "+", 1))
		return false;
	ok = from == RELAY_GDB ? take_request(relay, body, length, &pass)
			       : take_reply(relay, packet, whole, &pass);
	note_acks(relay, from, body, length);
	return ok && (!pass || append(&relay->out[to], packet, whole));
}

/* rr looks for the byte between two steps of its replay, so one byte is enough. */
static bool send_interrupt(struct relay *relay)
{
	static const char byte = INTERRUPT_BYTE;

	if (relay->motion != RUNNING || relay->byte_sent)
		return true;
	relay->byte_sent = true;
	return append(&relay->out[RELAY_RR], &byte, 1);
}

/*
 * rr writes its acknowledgement and its reply apart, and its kernel keeps the reply back until ours
 * has confirmed the first bytes (Nagle's algorithm). That takes ours 40 ms, if it has nothing to
 * send: with an acknowledgement, which rr does not look at, it has. Each session begins with two
 * such packets.
 */
static bool confirm(struct relay *relay)
{
	return relay->no_ack || append(&relay->out[RELAY_RR], "+", 1);
}

bool relay_take(struct relay *relay, enum relay_end from, const char *bytes, size_t length)
{
	struct bytes *in = &relay->in[from];
	size_t at = 0;
	bool ok;

	if (!append(in, bytes, length))
		return false;
	ok = true;
	while (ok && at < in->length) {
		const char *packet = in->at + at, *hash;

		if (*packet != '$') {
			if (*packet == INTERRUPT_BYTE && from == RELAY_GDB)
				ok = send_interrupt(relay);
			else if (*packet == '+' && from == RELAY_RR && at + 1 == in->length)
				ok = confirm(relay);
			at++;
			continue;
		}
		hash = memchr(packet, '#', in->length - at);
		if (!hash || in->length - at < (size_t)(hash - packet) + 1 + CHECKSUM_CHARS)
			break;
		ok = take_packet(relay, from, packet, (size_t)(hash - packet) + 1 + CHECKSUM_CHARS);
		at += (size_t)(hash - packet) + 1 + CHECKSUM_CHARS;
	}
	drop_front(in, at);
	return ok && in->length <= RELAY_PACKET_MAX;
}

void relay_interrupt(struct relay *relay)
{
	relay->wants_stop = true;
	send_interrupt(relay);
}

void relay_limit_back(struct relay *relay, unsigned times)
{
	relay->limit = times ? times + 1 : 0;
	relay->limited = false;
}

bool relay_reached_limit(const struct relay *relay)
{
	return relay->limited;
}

bool relay_seek(struct relay *relay, const char *target)
{
	relay->sought = false;
	return strlcpy(relay->seeks, target ? target : "", TARGET_MAX) < TARGET_MAX;
}

bool relay_has_sought(const struct relay *relay)
{
	return relay->sought;
}

bool relay_took_back(struct relay *relay)
{
	bool back = relay->took_back;

	relay->took_back = false;
	return back;
}

void relay_permit(struct relay *relay)
{
	relay->wants_stop = false;
}
