/* See ledger.c. */
#include <iostream>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

struct ledger {
	long balance = 0, worst = 0;
	std::vector<long> history = std::vector<long>(4);
};

static long rate(long amount)
{
	return amount * 3 - 700; /* origin */
}

static void deposit(ledger &book, const std::string &name, std::string_view place, long amount)
{
	long rated = rate(amount);
	book.balance += amount; /* changed */
	book.worst = rated;
	std::cout << name << " has paid " << amount << " in " << place << std::endl; /* printed */
}

static void report(ledger &book)
{
	std::string title = "worst";
	std::vector<long> seen{book.balance, book.worst};
	seen.push_back(book.history.at(book.worst)); /* crash */
	std::cout << title << seen.back() << std::endl;
}

int main()
{
	const std::vector<std::string> names{"alice", "bob", "carol", "dave"};
	const long amounts[] = {300, 250, 270, 120};
	auto book = std::make_unique<ledger>(); /* made */
	for (int i = 0; i < 4; i++)
		deposit(*book, names[i], i < 2 ? "Bern" : "Basel", amounts[i]);
	report(*book);
}
