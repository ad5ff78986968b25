/*
 * The table of roles: which system calls, capabilities and files each role may use. No code.
 */
#include "sandbox/roles.h"

#include <sys/capability.h>
#include "sandbox/calls.h"

#define CAP_BIT(cap) (UINT64_C(1) << (cap))

/* clang-format off */
/* A worker that starts rr for a query. The workers that do more have these rows too. */
#define QUERY_GROUPS	&life_calls, &own_signal_calls, &stream_calls, \
			&program_calls, &confine_calls, &query_calls

/* rr replay; who starts it has these as well, since filters are inherited. */
#define REPLAY_GROUPS	&life_calls, &stream_calls, &program_calls, \
			&replay_calls, &compat_calls

const struct role_rules role_rules[ROLE_COUNT] = {
    [ROLE_SUPERVISOR] =
	{
	    .name = "supervisor",
	    .otherwise = VERDICT_TRAP,
	    .groups = {&life_calls, &own_signal_calls, &stream_calls,
		&plain_memory_calls},
	    .landlocked = true,
	    .undumpable = true,
	    .reports = true,
	},
    [ROLE_LAUNCHER] =
	{
	    .name = "launcher",
	    .otherwise = VERDICT_ALLOW,
	    .compat = COMPAT_ALWAYS,
	    .groups = {&forbidden_calls},
	    /* SETFCAP: root's user namespace maps uid 0. The others where there is none. */
	    .capabilities = CAP_BIT(CAP_SETFCAP) | CAP_BIT(CAP_SYS_ADMIN) | CAP_BIT(CAP_NET_ADMIN) |
			    CAP_BIT(CAP_SETPCAP),
	    .undumpable = true,
	},
    [ROLE_WORKER] =
	{
	    .name = "worker",
	    .otherwise = VERDICT_TRAP,
	    .groups = {&life_calls, &stream_calls, &plain_memory_calls,
		&worker_calls},
	    .landlocked = true,
	    .reads_system = true,
	    .undumpable = true,
	    .reports = true,
	},
    [ROLE_RR_REPLAY] =
	{
	    .name = "rr_replay",
	    .otherwise = VERDICT_EPERM,
	    .compat = COMPAT_ASKED,
	    .groups = {REPLAY_GROUPS},
	    .landlocked = true,
	    .reads_system = true,
	    .writes_proc = true,
	    .writes = true,
	    .binds_port = true,
	    .keeps_signals = true,
	},
    [ROLE_GDB] =
	{
	    .name = "gdb",
	    .otherwise = VERDICT_EPERM,
	    .groups = {&life_calls, &own_signal_calls, &stream_calls,
		&program_calls, &gdb_calls},
	    .landlocked = true,
	    .reads_system = true,
	    .writes = true,
	    .connects = true,
	    .keeps_signals = true,
	},
    [ROLE_RECORD] =
	{
	    .name = "record",
	    .otherwise = VERDICT_ALLOW,
	    .compat = COMPAT_ALWAYS,
	    .groups = {&forbidden_calls},
	    .landlocked = true,
	    .reads_system = true,
	    .writes_proc = true,
	    .writes = true,
	    .writes_tmp = true,
	    .binds_port = true,
	    .connects = true,
	    .user_network = true,
	    .keeps_signals = true,
	},
    [ROLE_QUERY] =
	{
	    .name = "query",
	    .otherwise = VERDICT_EPERM,
	    .groups = {QUERY_GROUPS},
	    .landlocked = true,
	    .reads_system = true,
	    .keeps_signals = true,
	},
    [ROLE_CHANGE] =
	{
	    .name = "change",
	    .otherwise = VERDICT_EPERM,
	    .groups = {QUERY_GROUPS, &change_calls},
	    .landlocked = true,
	    .reads_system = true,
	    .writes = true,
	    .keeps_signals = true,
	},
    [ROLE_STATUS] =
	{
	    .name = "status",
	    .otherwise = VERDICT_EPERM,
	    .groups = {QUERY_GROUPS, &status_calls},
	    .landlocked = true,
	    .reads_system = true,
	    .writes = true,
	    .keeps_signals = true,
	},
    [ROLE_RECORDER] =
	{
	    .name = "recorder",
	    .otherwise = VERDICT_EPERM,
	    .groups = {QUERY_GROUPS, &change_calls},
	    .landlocked = true,
	    .reads_system = true,
	    .writes = true,
	},
    [ROLE_BROKER] =
	{
	    .name = "broker",
	    .otherwise = VERDICT_KILL,
	    .groups = {&broker_calls},
	    .landlocked = true,
	    .writes = true,
	    .undumpable = true,
	},
    [ROLE_LEDGER] =
	{
	    .name = "ledger",
	    .otherwise = VERDICT_EPERM,
	    .groups = {QUERY_GROUPS, &change_calls},
	    .landlocked = true,
	    .writes = true,
	    .undumpable = true,
	},
    [ROLE_STARTER] =
	{
	    .name = "starter",
	    .otherwise = VERDICT_EPERM,
	    .compat = COMPAT_ASKED,
	    .groups = {REPLAY_GROUPS, &confine_calls, &starter_calls},
	    .landlocked = true,
	    .reads_system = true,
	    .writes_proc = true,
	    .writes = true,
	    .binds_port = true,
	    .connects = true,
	    .keeps_signals = true,
	    .undumpable = true,
	},
    [ROLE_INSPECTOR] =
	{
	    .name = "inspector",
	    /* libraries that read debug information ask for more than they need */
	    .otherwise = VERDICT_EPERM,
	    .groups = {&inspector_calls},
	    .landlocked = true,
	    .undumpable = true,
	},
};
/* clang-format on */
