/*
 * The tables of files: what roles see of the system, what is hidden from a recording, and which
 * parts of /proc and /dev are harmless. Each row has its reason. No code.
 */
#include "sandbox/roles.h"

const char *const hidden_paths[] = {
    "/home",				      /* users' files */
    "/root",				      /* root's files */
    "/run",				      /* sockets: dbus, docker, ssh and gpg agents */
    "/var/run",				      /* the same where it is no link */
    "/var/spool",			      /* mail, print and cron jobs */
    "/var/lib/docker",			      /* containers' files, readable to root */
    "/etc/shadow",			      /* password hashes, readable to root */
    "/etc/shadow-",			      /* the same */
    "/etc/gshadow",			      /* the same */
    "/etc/gshadow-",			      /* the same */
    "/etc/ssh",				      /* host keys, readable to root */
    "/etc/ssl/private",			      /* keys, readable to root */
    "/etc/munge",			      /* the key of a cluster's jobs, readable to root */
    "/etc/wireguard",			      /* keys of networks, readable to root */
    "/etc/openvpn",			      /* the same */
    "/etc/ipsec.d",			      /* the same */
    "/etc/ipsec.secrets",		      /* the same */
    "/etc/NetworkManager/system-connections", /* passwords of networks */
    "/etc/netplan",			      /* the same */
    "/etc/wpa_supplicant",		      /* the same */
    "/etc/ppp",				      /* the same */
    "/etc/kubernetes",			      /* keys of a cluster */
    "/etc/rancher",			      /* the same */
    "/etc/letsencrypt",			      /* keys of servers */
    "/etc/krb5.keytab",			      /* keys of the machine */
    "/etc/security/opasswd",		      /* old passwords */
    "/var/backups",			      /* copies of /etc/shadow */
    "/var/lib/containerd",		      /* containers' files, readable to root */
    "/var/lib/containers",		      /* the same */
    "/var/lib/kubelet",			      /* pods' secrets */
    "/var/lib/rancher",			      /* the same */
    "/var/lib/NetworkManager",		      /* keys of networks */
    "/var/lib/iwd",			      /* passwords of networks */
    "/var/lib/bluetooth",		      /* keys of devices */
    "/var/lib/private",			      /* services' files */
    "/var/lib/sss",			      /* cached passwords */
    "/boot",				      /* boot loader passwords, the kernel's layout */
    NULL,
};

const char *const system_view[] = {
    "/usr",			     /* programs, libraries, their data, debug information */
    "/bin",			     /* links into /usr, or directories of older systems */
    "/sbin",			     /* the same */
    "/lib",			     /* the same */
    "/lib32",			     /* the same */
    "/lib64",			     /* the same: the path of the loader */
    "/libx32",			     /* the same */
    "/etc/ld.so.cache",		     /* the loader's libraries */
    "/etc/ld.so.conf",		     /* the same */
    "/etc/ld.so.conf.d",	     /* the same */
    "/etc/ld.so.preload",	     /* the same */
    "/etc/alternatives",	     /* programs that are links: gdb, python */
    "/etc/localtime",		     /* the time of log lines */
    "/etc/passwd",		     /* names of users: gdb looks for its own */
    "/etc/group",		     /* the same */
    "/etc/nsswitch.conf",	     /* how these are looked for */
    "/etc/gdb",			     /* its data; its init file is not read */
    "/sys/devices/system/cpu",	     /* rr, C library: the processors */
    "/sys/devices/cpu",		     /* rr: the counters */
    "/sys/devices/cpu_core",	     /* the same */
    "/sys/devices/cpu_atom",	     /* the same */
    "/sys/bus/event_source/devices", /* the same */
    NULL,
};

/* Relative to /proc. */
const char *const proc_read_only[] = {
    "sys",	     /* core_pattern and the like run programs as the real root */
    "sysrq-trigger", /* reboots */
    "irq",	     /* interrupts' cores */
    "bus",	     /* device registers */
    "fs",	     /* file systems' tuning */
    "acpi",	     /* power */
    "scsi",	     /* devices */
    NULL,
};

const char *const devices[] = {
    "/dev/null",    /* everybody */
    "/dev/zero",    /* memory */
    "/dev/full",    /* tests of programs */
    "/dev/random",  /* seeds */
    "/dev/urandom", /* seeds */
    "/dev/tty",	    /* programs that ask whether there is one */
    NULL,
};
