/*
 * Prints secrets, and keeps them in variables and memory. None of them is anybody's.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct account {
	const char *user;
	char password[16];
	const char *token;
};

static struct account account = {
    "alice", "hunter2-and-more", "ghp_0123456789abcdefghijABCDEFGHIJ012345"};
static char database[80] = "postgres://alice:correct-horse@db.example/orders";
static const char key[] = "-----BEGIN PRIVATE KEY-----\n"
			  "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n"
			  "MzEfYyjiWA4R4ypbHqGC0H0+kgGVEn0hnmOTCFCsOf2FdV8mnCF9pAj6VJ3+gkYT\n"
			  "-----END PRIVATE KEY-----\n";

static void print(const char *text)
{
	if (write(STDOUT_FILENO, text, strlen(text)) < 0)
		exit(1);
}

static int check(const struct account *who, const char *password)
{
	if (strncmp(who->password, password, sizeof(who->password)) != 0)
		abort(); /* the end */
	return 1;
}

int main(void)
{
	print("key id AKIAIOSFODNN7EXAMPLE\n");
	print(key);
	print("Authorization: Bearer c2VjcmV0LXRva2VuLXZhbHVl\n");
	print("half of ghp_0123456789abcde"); /* one token in two writes */
	print("fghijABCDEFGHIJ012345\n");
	print(database);
	print("\n");
	return check(&account, "wrong") == 0;
}
