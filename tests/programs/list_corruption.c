/*
 * Memory corrupted long before the crash. A server keeps its sessions in a table and links the
 * open ones into a list. One kind of message is written down one place past the end of a session's
 * array, which is the `next` link of the session behind it in the table. Nothing notices until
 * the list is walked at the end of the day, long after and elsewhere.
 *
 * The link sessions[3].next is written three times: cleared and set in session_open, overwritten in
 * session_touch. The crash is in report_total. Tests and the demo find the culprit's line by its
 * text.
 */
#include <stdio.h>
#include <string.h>

enum message_kind { KIND_TEXT = 1, KIND_IMAGE = 2, KIND_FILE = 3 };

#define KINDS	 3
#define SESSIONS 6

struct session {
	struct session *next;
	char owner[16];
	long last_seen[KINDS]; /* by kind, from 0 */
};

static struct session sessions[SESSIONS];
static struct session *open_sessions;
static long clock_seconds = 1700000000;

static void session_open(int slot, const char *owner)
{
	struct session *session = &sessions[slot];

	memset(session, 0, sizeof(*session));
	strncpy(session->owner, owner, sizeof(session->owner) - 1);
	session->next = open_sessions;
	open_sessions = session;
}

static void session_touch(struct session *session, enum message_kind kind)
{
	int place = kind == KIND_FILE ? kind : kind - 1; /* files were added in a hurry */

	session->last_seen[place] = clock_seconds;
}

static void receive_message(unsigned number)
{
	clock_seconds += 7;
	if (number == 23)
		session_touch(&sessions[2], KIND_FILE);
	else
		session_touch(&sessions[number % SESSIONS], number % 2 ? KIND_TEXT : KIND_IMAGE);
}

static int report_total(void)
{
	int total = 0;

	for (const struct session *session = open_sessions; session; session = session->next)
		total += session->last_seen[0] != 0;
	return total;
}

static unsigned checksum_of_table(void)
{
	const unsigned char *byte = (const unsigned char *)&sessions[0].owner;
	unsigned sum = 0;

	for (size_t i = 0; i < sizeof(sessions[0].owner); i++)
		sum = sum * 31 + byte[i];
	return sum;
}

int main(void)
{
	static const char *const owners[SESSIONS] = {"ada", "ben", "cleo", "dan", "eve", "finn"};
	unsigned sum = 0;

	for (int slot = 0; slot < SESSIONS; slot++)
		session_open(slot, owners[slot]);
	printf("%d sessions open\n", SESSIONS);
	fflush(stdout);
	for (unsigned number = 0; number < 40; number++)
		receive_message(number);
	for (int round = 0; round < 50; round++)
		sum += checksum_of_table();
	printf("day is over, checksum %u\n", sum);
	fflush(stdout);
	printf("%d sessions were used\n", report_total());
	return 0;
}
