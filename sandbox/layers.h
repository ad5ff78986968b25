#ifndef SANDBOX_LAYERS_H
#define SANDBOX_LAYERS_H
/*
 * The layers of the sandbox, in one list: the enum, the names, the defaults, the namespace flags
 * and the settings of the layers are made from it. The namespaces are in the order in which they
 * are set up.
 *
 * F(X, NAME, name, DEFAULT, default, clone flag or 0). X is passed on, so that another list can be
 * built from this one (see SETTINGS in supervisor/settings.h). A network namespace is
 * required because rr's debug port has no password.
 */
#include <sched.h>

/* clang-format off */
#define LAYERS_THROUGH(F, X) \
	F(X, NO_NEW_PRIVS, no_new_privs, REQUIRE, "require", 0) \
	F(X, RLIMITS, rlimits, REQUIRE, "require", 0) \
	F(X, CAPABILITIES, capabilities, REQUIRE, "require", 0) \
	F(X, USER_NS, user_ns, PREFER, "prefer", CLONE_NEWUSER) \
	F(X, PID_NS, pid_ns, PREFER, "prefer", CLONE_NEWPID) \
	F(X, NET_NS, net_ns, REQUIRE, "require", CLONE_NEWNET) \
	F(X, MOUNT_NS, mount_ns, PREFER, "prefer", CLONE_NEWNS) \
	F(X, IPC_NS, ipc_ns, PREFER, "prefer", CLONE_NEWIPC) \
	F(X, UTS_NS, uts_ns, PREFER, "prefer", CLONE_NEWUTS) \
	F(X, LANDLOCK, landlock, PREFER, "prefer", 0) \
	F(X, SECCOMP, seccomp, REQUIRE, "require", 0)
/* clang-format on */

#define LAYER_ROW(X, NAME, name, DEFAULT, text, flag) X(NAME, name, DEFAULT, flag)

/* X(NAME, name, DEFAULT, clone flag or 0) */
#define LAYERS(X) LAYERS_THROUGH(LAYER_ROW, X)

enum sandbox_layer {
#define X(NAME, name, DEFAULT, flag) LAYER_##NAME,
	LAYERS(X)
#undef X
	    LAYER_COUNT
};

#endif
