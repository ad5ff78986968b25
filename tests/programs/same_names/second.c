/* See ../same_names.c. */
static int shared = 2;
static int lonely = 3;

int second(void)
{
	return shared + lonely;
}
