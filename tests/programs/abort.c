/*
 * Fails an assertion, and so aborts, after a line on stdout: SIGABRT.
 */
#include <assert.h>
#include <stdio.h>

static int withdraw(int balance, int amount)
{
	assert(amount <= balance);
	return balance - amount;
}

int main(void)
{
	int balance = 100;

	for (int amount = 30; amount < 90; amount += 30) {
		balance = withdraw(balance, amount);
		printf("balance %d\n", balance);
		fflush(stdout);
	}
	balance = withdraw(balance, 60);
	return balance;
}
