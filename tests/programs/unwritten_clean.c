/*
 * Loads, moves and computes with bytes that were never written, and lets nothing depend on them.
 */
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#define ALONE __attribute__((noinline, noclone))

struct padded {
	char kind;
	long value;
	char end;
};

struct bits {
	unsigned low : 3, middle : 9, high : 20;
};

static volatile long met;
static jmp_buf jump;

static ALONE void show(void *memory)
{
	__asm__ volatile("" : : "r"(memory) : "memory");
}

static ALONE struct padded made(char kind)
{
	struct padded padded;

	padded.kind = kind;
	padded.value = kind * 2;
	padded.end = 1;
	show(&padded);
	return padded;
}

static int by_kind(const void *one, const void *other)
{
	return ((const struct padded *)one)->kind - ((const struct padded *)other)->kind;
}

static ALONE void sort_padded(void)
{
	struct padded *list = malloc(50 * sizeof(*list));

	for (int i = 0; i < 50; i++)
		list[i] = made((char)(i * 37 % 50));
	qsort(list, 50, sizeof(*list), by_kind);
	for (int i = 0; i < 50; i++)
		if (list[i].value != list[i].kind * 2)
			met++;
	free(list);
}

static ALONE void set_bits(void)
{
	struct bits *bits = malloc(sizeof(*bits));

	show(bits);
	bits->low = 3;
	bits->middle = 300;
	show(bits);
	if (bits->low == 3 && bits->middle == 300)
		met++;
	bits->high = 1000;
	show(bits);
	if (bits->high == 1000)
		met++;
	free(bits);
}

static ALONE void mask(void)
{
	uint64_t word;

	show(&word);
	word = (word | 0xff) & 0xff;
	show(&word);
	if (word == 0xff)
		met++;
	show(&word);
	word ^= word;
	if (word)
		met++;
}

/* Only looked at where the first holds. */
static ALONE long both(const long *known, const long *perhaps)
{
	return known[0] == 3 && perhaps[0] == 4 ? 1 : 2;
}

static ALONE void look_at_both(void)
{
	long known = 5, perhaps;

	show(&known);
	show(&perhaps);
	met += both(&known, &perhaps);
}

/* Reads whole vectors. */
static ALONE void use_strings(void)
{
	for (size_t size = 1; size < 90; size++) {
		char *text = malloc(size + 1), *copy;

		memset(text, 'a', size);
		text[size] = '\0';
		copy = strdup(text);
		met += (long)strlen(text) + strcmp(text, copy) + (strchr(text, 'b') != NULL);
		met += memchr(text, 'c', size) != NULL;
		met += strcasecmp(text, copy) + (strstr(text, "aab") != NULL);
		free(text);
		free(copy);
	}
}

/* At the end of a block and near that of a page, they are compared in parts of vectors. */
static ALONE void compare_at_ends(void)
{
	char *blocks[150];

	for (size_t i = 0; i < 150; i++) {
		const size_t size = 24 + i % 7;
		char *text = blocks[i] = malloc(size);

		memset(text, 'b', size - 1);
		text[size - 1] = '\0';
		for (size_t at = 0; at < size; at++)
			met += strcmp(text + at, "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbc") > 0;
	}
	for (size_t i = 0; i < 150; i++)
		free(blocks[i]);
}

static ALONE long sum_of(int count, ...)
{
	va_list list;
	long sum = 0;

	va_start(list, count);
	for (int i = 0; i < count; i++)
		sum += va_arg(list, long);
	va_end(list);
	return sum;
}

static ALONE void format(void)
{
	char text[200];

	snprintf(text, sizeof(text), "%d %s %5.2f %lx", 12, "word", 3.25, 77L);
	met += (long)strlen(text) + sum_of(3, 1L, 2L, 3L);
}

static ALONE void ask_kernel(void)
{
	struct stat status;
	struct timespec now;
	char name[64];

	stat("/", &status);
	clock_gettime(CLOCK_REALTIME, &now);
	if (S_ISDIR(status.st_mode) && now.tv_sec > 0 && getcwd(name, sizeof(name)) &&
	    name[0] == '/')
		met++;
}

static void handle(int signal)
{
	volatile int local = signal;

	met += local;
}

static ALONE void take_signals(void)
{
	signal(SIGUSR1, handle);
	for (int i = 0; i < 3; i++)
		raise(SIGUSR1);
}

static ALONE void leave_early(int depth)
{
	char room[200];

	memset(room, depth, sizeof(room));
	show(room);
	if (depth == 0)
		longjmp(jump, 1);
	leave_early(depth - 1);
	met += room[3];
}

static ALONE void jump_back(void)
{
	volatile int before = 6;

	if (!setjmp(jump))
		leave_early(5);
	if (before == 6)
		met++;
}

static ALONE void make_rooms(void)
{
	for (size_t size = 1; size < 4000; size = size * 3 + 5) {
		char *room = alloca(size);

		memset(room, 3, size);
		show(room);
		if (room[size - 1] == 3)
			met++;
	}
}

static ALONE void resize(void)
{
	size_t size = 10;
	char *text = malloc(size);

	memset(text, 5, size);
	for (int i = 0; i < 12; i++) {
		text = realloc(text, 2 * size);
		memset(text + size, 5, size);
		size *= 2;
		if (text[size / 3] != 5)
			met++;
	}
	text = realloc(text, 7);
	if (text[6] == 5)
		met++;
	free(text);
	text = calloc(1000, 1);
	if (text[999])
		met++;
	free(text);
}

static void *in_thread(void *unused)
{
	(void)unused;
	sort_padded();
	use_strings();
	return NULL;
}

static ALONE void run_threads(void)
{
	pthread_t threads[3];

	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, in_thread, NULL);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
}

int main(void)
{
	sort_padded();
	set_bits();
	mask();
	look_at_both();
	use_strings();
	compare_at_ends();
	format();
	ask_kernel();
	take_signals();
	jump_back();
	make_rooms();
	resize();
	run_threads();
	printf("%ld\n", met);
	return 0;
}
