#ifndef SUPERVISOR_DEBUG_NAMES_H
#define SUPERVISOR_DEBUG_NAMES_H
/*
 * The files that an ELF file's debug information names. The file is untrusted: only an inspector's
 * child may call this.
 */
#include <stddef.h>

#define DEBUG_NAMES_BYTES_MAX (8 * 1024 * 1024)
#define DEBUG_NAME_BELOW      '\x01' /* in the place of a slash */

enum debug_name {
	DEBUG_NAME_SOURCE = 'S',  /* as a debugger would look for it; relative if it is, with a
				   * DEBUG_NAME_BELOW behind the compiler's directory */
	DEBUG_NAME_SPLIT = 'D',	  /* a .dwo file */
	DEBUG_NAME_LINK = 'L',	  /* the name of a separate file of debug information */
	DEBUG_NAME_BUILD_ID = 'B' /* the hexadecimal name of such a file */
};

/* Fills names[size] with records: an enum debug_name, a name, and NUL, each record once. Leaves out
 * sources of the system. Returns how many bytes were filled; an inspector_read, whose
 * copy of the file may change. */
size_t debug_names_read(unsigned char *bytes, size_t length, unsigned char *names, size_t size);

#endif
