/*
 * Calls of a method in a row without a branch between them, so that the same instruction passes
 * several times in one moment's event and ticks.
 */
#include <cstdio>

class Account
{
      public:
	void deposit(long amount);
	long balance() const
	{
		return sum;
	}

      private:
	volatile long sum = 0;
};

__attribute__((noinline)) void Account::deposit(long amount)
{
	sum += amount;
}

int main()
{
	Account account;

	for (int i = 0; i < 2; i++) {
		account.deposit(1);
		account.deposit(2);
		account.deposit(3);
		account.deposit(4);
	}
	printf("balance %ld\n", account.balance());
	return 0;
}
