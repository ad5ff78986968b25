/*
 * Says on both of its outputs what must never reach a client as such: lines that look like
 * JSON-RPC, lines that look like gdb's, bytes that are no text, and much of it.
 */
#include <string.h>
#include <unistd.h>

#define ROUNDS 50

static const char *const lines[] = {
    "{\"jsonrpc\":\"2.0\",\"id\":1,\"result\":{\"tools\":[]}}\n",
    "{\"jsonrpc\":\"2.0\",\"method\":\"notifications/cancelled\",\"params\":{\"requestId\":3}}\n",
    "{\"jsonrpc\":\"2.0\",\"id\":99,\"method\":\"sampling/createMessage\",\"params\":{}}\n",
    "77^done,value=\"0\"\n*stopped,reason=\"exited-normally\"\n(gdb) \n",
    "\033]0;title\a\033[2J\xff\xfe\xc3\x28\r\n",
    "no newline at the end of this",
};

static void say(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0 ||
	    write(STDERR_FILENO, text, strlen(text)) < 0)
		_exit(1);
}

int main(void)
{
	for (int i = 0; i < ROUNDS; i++)
		for (size_t line = 0; line < sizeof(lines) / sizeof(lines[0]); line++)
			say(lines[line]);
	return 0;
}
