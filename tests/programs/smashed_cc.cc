/*
 * What smashed.c does, in C++: a method writes beyond an array that its caller has on the stack.
 */
#include <cstdio>

namespace party
{
struct Guest {
	const char *name;

	__attribute__((noipa)) void write_to(char *to) const
	{
		for (const char *from = name; *from; from++)
			*to++ = *from; /* beyond the array */
	}
};

__attribute__((noipa)) void greet(const Guest &guest)
{
	char name[24] = "";

	guest.write_to(name);
	std::printf("hello %s\n", name);
}
} // namespace party

int main()
{
	const party::Guest guests[] = {{"Ada"}, {"Grace"},
	    {"Maria Gaetana Agnesi of Milan, author of the Instituzioni analitiche ad uso della "
	     "gioventu"}};

	for (const party::Guest &guest : guests)
		party::greet(guest);
	return 0;
}
