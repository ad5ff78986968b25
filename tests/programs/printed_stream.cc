/*
 * Prints with C++ streams, through helpers.
 */
#include <iostream>
#include <sstream>
#include <string>

static std::string describe(int value)
{
	std::ostringstream text;

	text << "value=" << value * 3; // made here
	return text.str();
}

static void tell(const std::string &what)
{
	std::cout << "told: " << what << std::endl; // printed here
}

int main()
{
	tell(describe(14));
	std::cerr << "at last" << std::endl; // complains
	return 0;
}
