/*
 * A plugin with variables that tests/programs/watched_plugin.c sets. `mode` is a static variable of
 * both.
 */
void plugin_set(int level);

int plugin_level = 1;
static int mode = 1;

void plugin_set(int level)
{
	plugin_level = level;
	mode = level;
}

int plugin_mode(void);

int plugin_mode(void)
{
	return mode;
}
