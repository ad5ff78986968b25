#ifndef SUPERVISOR_APPARMOR_H
#define SUPERVISOR_APPARMOR_H
/*
 * What this program does about its AppArmor profiles (packaging/rr-warden.apparmor), where one is
 * loaded. Must never execute itself twice in a row, whatever an administrator made of the profiles.
 */

enum apparmor_step {
	APPARMOR_NOTHING, /* no AppArmor, or no profile of ours */
	APPARMOR_AGAIN,	  /* the outer profile, which grants nothing: execute this program again */
	APPARMOR_INSIDE,  /* a profile that grants user namespaces */
};

/* What the text in /proc/self/attr/apparmor/current asks for. */
enum apparmor_step apparmor_step_for(const char *label);

/* The first thing that main does. Executes this program again where that takes it from the outer
 * profile to the inner one: the kernel then makes the dynamic linker ignore what could load other
 * code, such as LD_PRELOAD. In the inner profile, sees to it that whatever this process or one
 * below it executes leaves the profile, so that rr, gdb and recorded programs get what the user's
 * other programs have. Returns 0, or -1 after a complaint: the profile would be lent to others. */
int apparmor_begin(char *const argv[]);

/* In a process that is about to execute this program: it begins in the outer profile, as from a
 * shell. Async-signal-safe. */
void apparmor_begin_anew(void);

/* For apparmor_begin, and tests. The variables that the dynamic linker removes, and that still
 * belong to what the user records, have other names while this program executes itself. keep
 * returns an environment with those names, or NULL if there is no memory; restore takes the names
 * back in ours. */
char **apparmor_keep(char *const environment[]);
void apparmor_restore(void);

#endif
