#ifndef SUPERVISOR_CLIENT_CONFIG_H
#define SUPERVISOR_CLIENT_CONFIG_H
/*
 * `rr-warden config CLIENT`: prints how to add this server to an MCP client: a command, or lines
 * for the client's configuration file. Changes no file.
 */

/*
 * `program` is the path of this one; argv as main has it; rest is the index of the client's name,
 * and the options before `config` become the server's. Returns the exit status: 0, or 2 for a
 * client it does not know.
 */
int client_config_run(const char *program, int argc, char *const argv[], int rest);

#endif
