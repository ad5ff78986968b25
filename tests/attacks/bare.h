#ifndef TESTS_ATTACKS_BARE_H
#define TESTS_ATTACKS_BARE_H
/*
 * The server without any layer of its sandbox: quoting and gdb's own settings alone have to hold.
 */
static const char *const bare_arguments[] = {"--sandbox-no_new_privs=off",
    "--sandbox-capabilities=off", "--sandbox-rlimits=off", "--sandbox-user_ns=off",
    "--sandbox-pid_ns=off", "--sandbox-net_ns=off", "--sandbox-mount_ns=off",
    "--sandbox-ipc_ns=off", "--sandbox-uts_ns=off", "--sandbox-landlock=off",
    "--sandbox-seccomp=off", NULL};

#endif
