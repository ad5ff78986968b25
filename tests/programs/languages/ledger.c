/*
 * The same program in each language, for the same eight questions: deposits into a ledger on the
 * heap, whose last one leaves an index that the report then fails on.
 */
#include <stdio.h>
#include <stdlib.h>

struct ledger {
	long balance, worst;
	long *history;
};

static long rate(long amount)
{
	return amount * 3 - 700; /* origin */
}

static void deposit(struct ledger *ledger, const char *name, long amount)
{
	long rated = rate(amount);
	ledger->balance += amount; /* changed */
	ledger->worst = rated;
	printf("%s has paid %ld\n", name, amount); /* printed */
}

static void report(struct ledger *ledger)
{
	long *last = NULL;
	if (ledger->worst >= 0)
		last = &ledger->history[ledger->worst];
	*last = 1; /* crash */
}

int main(void)
{
	const char *const names[] = {"alice", "bob", "carol", "dave"};
	const long amounts[] = {300, 250, 270, 120};
	struct ledger *ledger = calloc(1, sizeof(*ledger)); /* made */
	ledger->history = calloc(4, sizeof(long));
	for (int i = 0; i < 4; i++)
		deposit(ledger, names[i], amounts[i]);
	fflush(stdout);
	report(ledger);
	return 0;
}
