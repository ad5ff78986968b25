/*
 * A plugin that tests/programs/reloads.c loads twice, at the same address.
 */
int plugin_add(int a, int b);

int plugin_add(int a, int b)
{
	return a + b;
}
