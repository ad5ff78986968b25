/*
 * Calls `pass` with variables of every kind of type, and other values each time: small, negative,
 * and those at which types of different widths differ. An argument is the number of calls (64).
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

enum color { RED, GREEN, BLUE, ODD = -3 };

struct part {
	int whole;
	short half;
	int few : 5;
	unsigned more : 3;
	struct part *next;
};

static signed char byte;
static unsigned char octet;
static short small;
static unsigned short positive;
static int number;
static unsigned count;
static long large;
static unsigned long size;
static bool flag;
static enum color color;
static float ratio;
static char text[16] = "text";
static struct part first, second;
static struct part *part = &first;
static int *pointer;
static int table[8];
static int nth;
static _Thread_local int own;

__attribute__((noinline)) static long pass(
    signed char narrow, unsigned short low, int middle, long wide)
{
	volatile int local = middle - low;

	return local + narrow + wide; /* pass */
}

static uint64_t next(uint64_t *state)
{
	*state = *state * 6364136223846793005 + 1442695040888963407;
	return *state >> 33;
}

/* Often near zero and near the bounds of the narrow types. */
static int64_t draw(uint64_t *state)
{
	static const int64_t near[] = {0, 0, 127, 255, 32767, 65535, 2147483647, 4294967295, -128,
	    -32768, -2147483648LL, 20000};
	int64_t base = near[next(state) % (sizeof(near) / sizeof(*near))];

	return base + (int64_t)(next(state) % 7) - 3;
}

int main(int argc, char **argv)
{
	int calls = argc > 1 ? atoi(argv[1]) : 64;
	uint64_t state = 1;
	long sum = 0;

	first.next = &second;
	second.next = NULL;
	for (int i = 0; i < calls; i++) {
		byte = (signed char)draw(&state);
		octet = (unsigned char)draw(&state);
		small = (short)draw(&state);
		positive = (unsigned short)draw(&state);
		number = (int)draw(&state);
		count = (unsigned)draw(&state);
		large = draw(&state);
		size = (unsigned long)draw(&state);
		flag = next(&state) % 2;
		color = (enum color)(next(&state) % 3 ? (int)(next(&state) % 3) : ODD);
		ratio = (float)draw(&state) / 4;
		text[0] = (char)('a' + next(&state) % 26);
		first.whole = (int)draw(&state);
		first.half = (short)draw(&state);
		first.few = (int)(next(&state) % 31) - 15;
		first.more = next(&state) % 8;
		second.half = (short)draw(&state);
		part = next(&state) % 2 ? &first : &second;
		pointer = next(&state) % 3 ? &number : NULL;
		table[i % 8] = i;
		nth = own = i;
		sum += pass(byte, positive, number, large);
	}
	return sum == 42;
}
