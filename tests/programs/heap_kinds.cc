/*
 * Blocks that were handed out in one way and released in another, and some of the C++ library.
 */
#include <cstdlib>
#include <string>
#include <vector>

long *as_array, *as_malloc, *as_new, *as_it_should;
const char *text_block;
int *numbers_block;
volatile long seen;

__attribute__((noipa)) static void release_one(long *block)
{
	delete block; /* with delete */
	seen = seen + 1;
}

__attribute__((noipa)) static void release_plain(long *block)
{
	std::free(block); /* with free */
	seen = seen + 1;
}

__attribute__((noipa)) static void release_all(long *block)
{
	delete[] block; /* with delete[] */
	seen = seen + 1;
}

__attribute__((noipa)) static void use_the_library()
{
	std::string text(100, 'x');
	std::vector<int> numbers;

	text_block = text.data();
	for (int i = 0; i < 100; i++)
		numbers.push_back(i);
	numbers_block = numbers.data();
	text += std::to_string(numbers[50]);
	seen = seen + text.size();
}

int main()
{
	as_array = new long[10]();		       /* as an array */
	as_malloc = (long *)std::malloc(sizeof(long)); /* with malloc */
	as_new = new long(5);			       /* with new */
	as_it_should = new long[20]();		       /* and released so */
	seen = seen + as_array[1] + *as_new + as_it_should[1];
	release_one(as_array);
	release_one(as_malloc);
	release_plain(as_new);
	release_all(as_it_should);
	use_the_library();
	return 0;
}
