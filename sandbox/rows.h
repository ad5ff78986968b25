#ifndef SANDBOX_ROWS_H
#define SANDBOX_ROWS_H
/*
 * How a row of the tables in calls.c is written.
 */
#include <fcntl.h>
#include <sched.h>
#include <seccomp.h>
#include "sandbox/roles.h"

/* clang-format off */
#define ALLOW(name)		{SCMP_SYS(name), VERDICT_ALLOW, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}
#define KILL(name)		{SCMP_SYS(name), VERDICT_KILL, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}
#define ANSWER_ENOSYS(name)	{SCMP_SYS(name), VERDICT_ENOSYS, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}
#define ONCE(name)		{SCMP_SYS(name), VERDICT_ONCE, {0, 0, 0}, {0, 0, 0}, {0, 0, 0}}
#define ALLOW_IF(name, arg, mask, value) \
				{SCMP_SYS(name), VERDICT_ALLOW, {arg, mask, value}, {0, 0, 0}, {0, 0, 0}}
#define ALLOW_IF2(name, arg, mask, value, arg2, mask2, value2) \
				{SCMP_SYS(name), VERDICT_ALLOW, {arg, mask, value}, {arg2, mask2, value2}, {0, 0, 0}}
#define ALLOW_IF3(name, arg, value, arg2, value2, arg3, value3) \
				{SCMP_SYS(name), VERDICT_ALLOW, {arg, UINT32_MAX, value}, \
				 {arg2, SOCKET_TYPE, value2}, {arg3, UINT32_MAX, value3}}
#define GROUP(rows)		{rows, sizeof(rows) / sizeof(*(rows))}

#define OPEN_WRITES	(O_ACCMODE | O_CREAT | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY))
#define CLONE_NAMESPACES (CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | \
			 CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNET)
#define SOCKET_TYPE	0xfu
/* clang-format on */

#endif
