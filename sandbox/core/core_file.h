#ifndef SANDBOX_CORE_FILE_H
#define SANDBOX_CORE_FILE_H
/*
 * What an ELF core file says of itself: its memory's pieces, the files that were mapped, the
 * process. gdb reads the rest. Pure: bytes in, a struct out, whatever the bytes are.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CORE_SEGMENTS_MAX 65535	      /* the kernel's default limit of mappings is 65530 */
#define CORE_NOTES_MAX	  (64u << 20) /* bytes: a thread takes 4 KB of them with its registers */
#define CORE_COMMAND_MAX  81	      /* the kernel keeps 80 bytes of it */
#define CORE_WHY_MAX	  200

/* Reads `size` bytes at `offset`; false: there are not so many. */
struct core_bytes {
	bool (*read)(void *owner, uint64_t offset, void *to, size_t size);
	void *owner;
	uint64_t size; /* of the file */
};

/* What is in a list by its addresses begins with this, and core_range_compare sorts it. */
struct core_range {
	uint64_t start, end;
};
int core_range_compare(const void *left, const void *right);

/* A piece of the memory. `kept` bytes of it are in the file, at `offset`. */
struct core_segment {
	struct core_range at;
	uint64_t offset, kept;
	bool reads, writes, executes;
};

struct core_mapped {
	struct core_range at;
	uint64_t offset; /* in the file called `name` */
	const char *name;
	uint64_t name_at; /* in the file */
};

struct core_file {
	struct core_segment *segments; /* of memory; both by address */
	struct core_mapped *mapped;
	size_t segment_count, mapped_count;
	uint64_t header_count; /* program headers */
	unsigned threads;
	int pid;	  /* 0: not known */
	uint64_t entry;	  /* of the program, from its auxiliary vector; 0: not known */
	unsigned headers; /* of the program; 0: not known */
	uint64_t stack;	  /* an address in the first thread's; 0: not known */
	uint64_t missing; /* bytes that the file should have behind its end */
	char command[CORE_COMMAND_MAX];
	char *notes; /* holds the names */
};

enum core_packing { CORE_PLAIN, CORE_ZSTD, CORE_XZ, CORE_LZ4, CORE_NONE };

/* What the first bytes of a file say that it is; CORE_PLAIN: an ELF file. */
#define CORE_BEGINNING 20
enum core_packing core_packing(const unsigned char *bytes, size_t length);
/* The program that unpacks it; NULL for CORE_PLAIN and CORE_NONE. */
const char *core_unpacker(enum core_packing packing);

/* Whether the beginning of a file is that of a core file that can be read here; why[CORE_WHY_MAX]
 * is a clause about the file otherwise. */
bool core_file_is(const unsigned char *bytes, size_t length, char *why);

/* False with *why filled. core_file_free in either case. */
bool core_file_read(struct core_file *core, const struct core_bytes *bytes, char *why);
void core_file_free(struct core_file *core);

/* The mapping of the program's file that has its entry, else the first one; NULL: none is known. */
const struct core_mapped *core_file_program(const struct core_file *core);
/* Where that file was mapped from its beginning on; 0: not known. */
uint64_t core_file_base(const struct core_file *core, const char *name);

/* What has that address; NULL: nothing. */
const struct core_segment *core_file_segment(const struct core_file *core, uint64_t address);
const struct core_mapped *core_file_mapped(const struct core_file *core, uint64_t address);

/* Memory of the process. False: not all of it is in the file. */
bool core_file_memory(const struct core_file *core, const struct core_bytes *bytes,
    uint64_t address, void *to, size_t size);

/* Who an ELF file is, from its beginning, in a file or in memory. */
#define CORE_BUILD_ID_MAX 64
struct core_identity {
	bool is_elf;
	uint64_t entry;	  /* relative to its first byte in memory */
	unsigned headers; /* program headers */
	size_t length;	  /* of the build id; 0: it has none */
	unsigned char build_id[CORE_BUILD_ID_MAX];
};
void core_identity_read(struct core_identity *identity, const struct core_bytes *bytes);

#endif
