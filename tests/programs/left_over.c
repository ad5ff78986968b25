/*
 * A local that is below zero twice in its call: first by chance, because the call before left that
 * in its place, and later because of what the program does.
 */
#include <stdio.h>

struct account {
	volatile int balance;
};

__attribute__((noipa)) static int report(const struct account *account)
{
	return account->balance;
}

__attribute__((noipa)) static int settle(int start)
{
	struct account account;

	account.balance = start;
	account.balance -= 5; /* below zero */
	return report(&account);
}

int main(void)
{
	int sum = 0;

	for (int start = 3; start < 5; start++)
		sum += settle(start);
	printf("%d\n", sum);
	return 0;
}
