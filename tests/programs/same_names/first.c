/* See ../same_names.c. */
static int shared = 1;

int first(void)
{
	return shared;
}
