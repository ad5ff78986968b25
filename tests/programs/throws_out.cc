/*
 * Ends by std::terminate, or by a call of a virtual function of what is no object, in the way that
 * its argument names. A crash report has to tell the exception and where it was thrown first.
 */
#include <cstdio>
#include <cstring>
#include <exception>
#include <future>
#include <unordered_map>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>

volatile long seen;

struct problem {
	int code;
};

class shape
{
      public:
	shape()
	{
		draw();
	}
	virtual ~shape() = default;
	void draw()
	{
		area();
	}
	virtual int area() = 0;
};

class square : public shape
{
      public:
	int area() override
	{
		return 4;
	}
};

struct cleaner {
	~cleaner() noexcept(false)
	{
		if (seen >= 0)
			throw std::runtime_error("while cleaning"); // thrown second
	}
};

__attribute__((noipa)) static void check(int value)
{
	if (value > 2)
		throw std::out_of_range("value 3 is too large"); // thrown first
	seen = seen + value;
}

__attribute__((noipa)) static void check_again(int value)
{
	try {
		check(value);
	} catch (const std::exception &) {
		seen = seen + 1;
		throw; // rethrown
	}
}

__attribute__((noipa)) static void throw_number()
{
	throw 42; // a number
}

__attribute__((noipa)) static void throw_text()
{
	throw "plain words"; // a text
}

__attribute__((noipa)) static void throw_string()
{
	throw std::string("a string of words"); // a string
}

/* The frames of the library have names of several hundred characters. */
__attribute__((noipa)) static size_t look_up(
    const std::unordered_map<std::string, std::string> &words)
{
	return words.at("missing").size(); // not there
}

__attribute__((noipa)) static void throw_problem()
{
	problem one{17};

	throw one; // a problem
}

__attribute__((noipa)) static void promise_nothing(int value) noexcept
{
	check(value); // must not throw
	seen = seen + 1;
}

__attribute__((noipa)) static void throw_while_unwinding()
{
	try {
		cleaner one;
		check(3);
	} catch (const std::logic_error &) {
		seen = seen + 1;
	}
}

__attribute__((noipa)) static void leave_thread()
{
	std::thread thread([] { seen = seen + 1; });

	seen = seen + 1;
} // the thread's end

__attribute__((noipa)) static int count(int value)
{
	check(value);
	return value;
}

__attribute__((noipa)) static void ask_future()
{
	auto future = std::async(std::launch::async, count, 3);

	seen = future.get(); // gets
}

/* The promise that is broken here was never kept. */
__attribute__((noipa)) static std::future<int> drop()
{
	std::promise<int> promise;

	return promise.get_future(); // dropped
}

__attribute__((noipa)) static void ask_dropped()
{
	auto future = drop();

	seen = future.get(); // asks
}

__attribute__((noipa)) static void nest()
{
	try {
		check(3);
	} catch (...) {
		std::throw_with_nested(std::runtime_error("outer words")); // around it
	}
}

template <class Carried> struct carrier {
	Carried *carried;
};

/* Its name has several hundred characters. */
__attribute__((noipa)) static void throw_long()
{
	throw carrier<std::unordered_map<std::string, std::unordered_map<std::string, int>>>{};
}

static std::exception_ptr kept;

__attribute__((noipa)) static void keep()
{
	try {
		check(3);
	} catch (...) {
		kept = std::current_exception();
	}
}

__attribute__((noipa)) static void let_go()
{
	std::rethrow_exception(kept); // thrown elsewhere
}

__attribute__((noipa)) static long initialise()
{
	static const int first = count(3); // the first call initialises it

	return first;
}

__attribute__((noipa)) static int measure(shape *some)
{
	int result = some->area(); // measures

	seen = seen + result;
	return result;
}

static void garbage_object()
{
	static long words[2] = {0x4141414141414141, 0};

	measure(reinterpret_cast<shape *>(words));
}

static void garbage_table()
{
	static long table[8], words[2];

	table[2] = 0x1234560;
	words[0] = reinterpret_cast<long>(table);
	measure(reinterpret_cast<shape *>(words));
}

static void null_table()
{
	static long table[8], words[2];

	words[0] = reinterpret_cast<long>(table);
	measure(reinterpret_cast<shape *>(words));
}

__attribute__((noipa)) static void rethrow_nothing()
{
	throw; // nothing to rethrow
}

int main(int argc, char **argv)
{
	const std::string way = argc > 1 ? argv[1] : "";

	if (way == "caught_before") {
		try {
			throw_number();
		} catch (int) {
		}
		check(3);
	} else if (way == "plain")
		check(3);
	else if (way == "rethrown")
		check_again(3);
	else if (way == "number")
		throw_number();
	else if (way == "text")
		throw_text();
	else if (way == "string")
		throw_string();
	else if (way == "map")
		seen = look_up({{"one", "two"}});
	else if (way == "problem")
		throw_problem();
	else if (way == "noexcept")
		promise_nothing(3);
	else if (way == "second")
		throw_while_unwinding();
	else if (way == "joinable")
		leave_thread();
	else if (way == "future")
		ask_future();
	else if (way == "dropped")
		ask_dropped();
	else if (way == "long")
		throw_long();
	else if (way == "nested")
		nest();
	else if (way == "kept") {
		keep();
		let_go();
	} else if (way == "static")
		seen = initialise();
	else if (way == "pure")
		measure(new square);
	else if (way == "null_object")
		measure(nullptr);
	else if (way == "garbage_object")
		garbage_object();
	else if (way == "garbage_table")
		garbage_table();
	else if (way == "null_table")
		null_table();
	else if (way == "nothing")
		rethrow_nothing();
	else if (way == "in_thread")
		std::thread(check, 3).join();
	else if (way == "terminate")
		std::terminate(); // terminates
	return 0;
}
