/*
 * Values that travel from a known origin. Each journey ends in a global, which `look` does nothing
 * with: there every origin can be asked for. The lines with "origin:" are where a value begins,
 * those with "hop:" where it is copied on.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#define KEEP  __attribute__((noinline, noipa))
#define LARGE 3000

struct wire {
	int kind;
	long serial;
	char name[24];
};

struct entry {
	char name[24];
	long serial;
	int quantity;
};

struct shelf {
	struct entry *entries;
	size_t count;
};

struct report {
	const char *title;
	long serial;
	int total;
};

struct report from_pipe, from_file, from_socket, from_product, from_text;
struct shelf shelf;
long from_constant, from_registers, again;
int *from_allocation;
char *from_address;
int from_nothing;
static volatile int width = 70000, height = 40000;
static int area;
static long table[8];
static char text[LARGE];
static char label[30];
struct {
	char name[12];
	long behind;
} overrun, appended, written;
long from_wide, wide = 51;
const char *constant = "longer than the name";

KEEP void look(void)
{
	__asm__ volatile("" ::: "memory");
}

KEEP static void store(long *to, long value)
{
	*to = value; /* hop: store */
}

KEEP static void pass(long *to, long value)
{
	store(to, value);
}

KEEP static void begin_constant(void)
{
	pass(&from_constant, 4711); /* origin: constant */
}

KEEP static void begin_product(void)
{
	area = (int)((unsigned)width * (unsigned)height); /* origin: product */
}

/* Three registers, each with as many digits as there can be. */
KEEP static void begin_registers(void)
{
	__asm__ volatile("movabs $-9111111111111111111, %%r10\n\t"
			 "movabs $-9222222222222222222, %%r11\n\t"
			 "movabs $-9011111111111111111, %%r12\n\t"
			 "lea 1(%%r10, %%r11), %%r12\n\t"
			 "mov %%r12, %0"
			 : "=m"(from_registers)
			 :
			 : "r10", "r11", "r12");
}

KEEP static void use_product(struct report *report)
{
	report->total = area; /* hop: product */
}

KEEP static void fill(int fd, const char *path)
{
	struct wire wire = {7, 815, "seven"}; /* origin: seven */
	char line[100] = "";
	int file = open(path, O_RDWR | O_CREAT | O_TRUNC, 0600);

	if (write(fd, &wire, sizeof(wire)) < 0) /* hop: fill */
		exit(2);
	if (write(file, line, sizeof(line)) < 0 || write(file, &wire, sizeof(wire)) < 0)
		exit(2);
	close(file);
}

KEEP static void take(struct wire *wire, int fd)
{
	if (read(fd, wire, sizeof(*wire)) != sizeof(*wire)) /* hop: pipe */
		exit(3);
}

KEEP static void shelve(const struct wire *wire)
{
	struct entry entry = {.quantity = wire->kind};

	memcpy(entry.name, wire->name, sizeof(entry.name));
	entry.serial = wire->serial;	      /* hop: entry */
	shelf.entries[shelf.count++] = entry; /* hop: shelf */
}

KEEP static void grow(void)
{
	char *between;

	shelf.entries = realloc(shelf.entries, sizeof(*shelf.entries));
	between = malloc(100);
	__asm__ volatile("" : "+r"(between)); /* so that it cannot grow where it is */
	shelf.count = shelf.count > 0;
	shelf.entries = realloc(shelf.entries, LARGE * sizeof(*shelf.entries)); /* hop: grown */
	free(between);
}

KEEP static void report_on(struct report *report, const struct entry *entry)
{
	memcpy(&report->serial, &entry->serial, sizeof(entry->serial)); /* hop: report */
}

KEEP static void travel(int fd)
{
	struct wire wire;

	shelf.entries = malloc(sizeof(*shelf.entries));
	take(&wire, fd);
	shelve(&wire);
	grow();
	report_on(&from_pipe, &shelf.entries[0]);
}

KEEP static void read_file(const char *path)
{
	char block[64];
	struct wire wire;
	int file = open(path, O_RDONLY);

	if (read(file, block, 40) != 40 || read(file, block, 60) != 60)
		exit(4);
	if (read(file, &wire, sizeof(wire)) != sizeof(wire)) /* origin: file */
		exit(5);
	from_file.serial = wire.serial; /* hop: file */
	close(file);
}

KEEP static void receive(void)
{
	static char buffer[LARGE];
	struct wire wire = {8, 4712, "eight"}; /* origin: eight */
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_STREAM, 0, ends) != 0 ||
	    send(ends[0], &wire, sizeof(wire), 0) < 0) /* hop: sent */
		exit(6);
	if (recv(ends[1], buffer, sizeof(buffer), 0) < 0) /* hop: taken */
		exit(6);
	memcpy(&wire, buffer, sizeof(wire)); /* hop: wire */
	from_socket.serial = wire.serial;    /* hop: socket */
	close(ends[0]);
	close(ends[1]);
}

KEEP static int *allocate(size_t count)
{
	return malloc(count * sizeof(int)); /* origin: allocation */
}

KEEP static void leave(void)
{
	/* volatile, or a compiler adds elsewhere, or before the program runs */
	volatile int *dirty = malloc(64), base = 3000;

	for (int i = 0; i < 16; i++)
		dirty[i] = base + i; /* origin: left over */
	__asm__ volatile("" : : "r"(dirty) : "memory");
	free((void *)dirty);
}

KEEP static void use_uninitialised(void)
{
	int *block = malloc(64);

	__asm__ volatile("" : "+r"(block));
	from_nothing = block[9]; /* hop: left over */
	free(block);
}

/* The same value is stored twice: the last store is where it comes from. */
KEEP static void store_again(void)
{
	again = 99;
	__asm__ volatile("" : : : "memory");
	table[3] = 99; /* origin: second */
	__asm__ volatile("" : : : "memory");
	again = table[3]; /* hop: again */
}

KEEP static void copy_text(void)
{
	for (int i = 0; i < LARGE - 1; i++)
		text[i] = (char)('a' + i % 26); /* origin: letter */
	from_text.title = strdup(text);
	from_address = strchr(text, 'z');
}

/* Behind the end of an array, and with fewer bytes than the value has. */
KEEP static void overrun_arrays(void)
{
	for (int i = 0; i < 20; i++)
		label[i] = (char)('A' + i); /* origin: label */
	strcpy(overrun.name, label);	    /* hop: overrun */
	strcpy(appended.name, "new ");
	strcpy(written.name, constant);
	strcat(appended.name, label + 2);  /* hop: appended */
	__asm__ volatile("" ::: "memory"); /* no tail call */
}

/* Through vector registers that only AVX-512 has. */
KEEP static void copy_wide(void)
{
	long filled[8] = {wide, 2, 3, 4, 5, 6, 7, 8}, copied[8]; /* origin: wide */

	if (__builtin_cpu_supports("avx512f"))
		__asm__ volatile("vmovdqu64 %1, %%zmm17\n\t"
				 "vmovdqa64 %%zmm17, %%zmm30\n\t"
				 "vmovdqu64 %%zmm30, %0"
				 : "=m"(copied)
				 : "m"(filled)
				 : "memory");
	else
		memcpy(copied, filled, sizeof(copied));
	from_wide = copied[0]; /* hop: wide */
}

int main(void)
{
	char path[] = "/tmp/origins-XXXXXX";
	int ends[2];

	if (pipe(ends) != 0 || close(mkstemp(path)) != 0)
		return 1;
	begin_product();
	begin_constant();
	begin_registers();
	fill(ends[1], path);
	travel(ends[0]);
	read_file(path);
	receive();
	from_allocation = allocate(100); /* hop: allocation */
	leave();
	use_uninitialised();
	store_again();
	copy_text();
	overrun_arrays();
	copy_wide();
	use_product(&from_product);
	look();
	unlink(path);
	printf("%ld %ld %ld %d\n", from_pipe.serial, from_file.serial, from_socket.serial,
	    from_product.total);
	return 0;
}
