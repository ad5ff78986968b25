/*
 * Like origins.c, with containers of the C++ library, a second thread, and memory that mremap moves.
 */
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <pthread.h>
#include <string>
#include <unistd.h>
#include <vector>

#define KEEP  __attribute__((noinline, noipa))
#define BLOCK 400000
#define AT    (BLOCK / 2)

struct order {
	int id;
	long price;
	std::string name;
};

struct line {
	long price;
	int count;
};

long from_vector, from_map, from_choice, from_thread, handed, from_moved, from_filled = 1;
long from_process;
int from_signal;
order *from_new;

KEEP void look()
{
	__asm__ volatile("" ::: "memory");
}

KEEP static long price_of(int id)
{
	return id * 37L + 5; /* origin: price */
}

KEEP static void collect(std::vector<order> &orders)
{
	for (int i = 0; i < 50; i++)
		orders.push_back(order{i, price_of(i), "order number " + std::to_string(i)});
}

KEEP static long choose(long first, long second, size_t condition)
{
	return condition ? first : second;
}

static void *produce(void *)
{
	handed = 6006; /* origin: thread */
	return nullptr;
}

KEEP static void use_thread()
{
	pthread_t thread;

	pthread_create(&thread, nullptr, produce, nullptr);
	pthread_join(thread, nullptr);
	from_thread = handed; /* hop: thread */
}

KEEP static void move()
{
	char *block = static_cast<char *>(malloc(BLOCK));

	__asm__ volatile("" : "+r"(block));
	memset(block, 0, BLOCK);				 /* origin: filled */
	*reinterpret_cast<long *>(block + AT) = 7007;		 /* origin: moved */
	block = static_cast<char *>(realloc(block, 20 * BLOCK)); /* hop: moved */
	from_moved = *reinterpret_cast<long *>(block + AT);
	from_filled = *reinterpret_cast<long *>(block + AT + 800);
	free(block);
}

KEEP static void note(int signal)
{
	from_signal = signal; /* hop: signal */
}

int main()
{
	std::vector<order> orders;
	std::map<int, line> lines;

	collect(orders);
	from_vector = orders[33].price; /* hop: vector */
	lines[4] = line{from_vector, 1};
	from_map = lines.at(4).price; /* hop: map */
	use_thread();
	from_choice = choose(from_map, from_thread, orders.size()); /* hop: choice */
	move();
	signal(SIGUSR1, note);
	raise(SIGUSR1);
	from_process = getpid();	   /* origin: process */
	from_new = new order{1, 2, "new"}; /* origin: new */
	look();
	printf("%ld %ld\n", from_map, from_moved);
	return 0;
}
