/*
 * strcpy writes past the end of an array, long before the crash. In an account, the name comes
 * before the pointer to its ledger, and the third account gets a name that is too long. The program
 * crashes when it settles the accounts. The tour in .github/TOUR.md and the tests of reports use
 * it; an argument replaces the name.
 */
#include <stdio.h>
#include <string.h>

#define ACCOUNTS 4

struct ledger {
	long balance;
	int entries;
};

struct account {
	char name[16];
	struct ledger *ledger;
};

static struct ledger ledgers[ACCOUNTS];
static struct account accounts[ACCOUNTS];

static void open_account(int number)
{
	snprintf(accounts[number].name, sizeof(accounts[number].name), "account %d", number);
	accounts[number].ledger = &ledgers[number];
}

static void book(struct account *account, long amount)
{
	account->ledger->balance += amount;
	account->ledger->entries++;
}

static void rename_account(struct account *account, const char *name)
{
	strcpy(account->name, name);
}

static long settle(void)
{
	long total = 0;

	for (int number = 0; number < ACCOUNTS; number++) {
		struct account *account = &accounts[number];
		total += account->ledger->balance;
	}
	return total;
}

int main(int argc, char **argv)
{
	for (int number = 0; number < ACCOUNTS; number++)
		open_account(number);
	for (int day = 1; day <= 30; day++)
		book(&accounts[day % ACCOUNTS], day * 100L);
	rename_account(&accounts[2], argc > 1 ? argv[1] : "Bartholomew Montgomery");
	puts("all accounts are up to date");
	fflush(stdout);
	printf("in all: %ld\n", settle());
	return 0;
}
