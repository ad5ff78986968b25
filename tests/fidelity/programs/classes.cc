/*
 * Kinds: what only C++ has: exceptions that nobody catches, and virtual calls of what is no object.
 */
#define FAMILY __FILE__
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <stdexcept>
#include <string>
#include <vector>

#include "stage.h"

#define ENDING (KIND_CALLS | KIND_HANDLERS)

KIND(terminate_called, ENDING)
{
	std::terminate();
}

KIND(uncaught, ENDING)
{
	throw std::runtime_error("nobody catches this");
}

KIND(uncaught_number, ENDING)
{
	throw 42;
}

KIND(rethrown, ENDING)
{
	try {
		throw std::logic_error("first");
	} catch (const std::exception &) {
		throw;
	}
}

KIND(rethrow_nothing, ENDING)
{
	throw;
}

static void promises() noexcept
{
	throw 1;
}

KIND(broken_promise, ENDING)
{
	try {
		promises();
	} catch (int) {
		stage_say("caught");
	}
}

struct throws_when_destroyed {
	~throws_when_destroyed() noexcept(false)
	{
		throw 2;
	}
};

KIND(second_throw, ENDING)
{
	try {
		throws_when_destroyed object;
		throw 1;
	} catch (int) {
		stage_say("caught");
	}
}

KIND(no_memory, ENDING)
{
	volatile size_t much = ~(size_t)0 / 4;
	char *volatile bytes = new char[much];

	(void)bytes;
}

KIND(out_of_range, ENDING)
{
	std::vector<int> numbers(3);

	numbers.at(7) = 1;
}

KIND(empty_function, ENDING)
{
	std::function<void()> nothing;

	nothing();
}

struct base {
	base()
	{
		call();
	}
	void call()
	{
		act();
	}
	virtual void act() = 0;
	virtual ~base()
	{
	}
	long number = 5;
};

struct derived : base {
	void act() override
	{
		number++;
	}
};

KIND(pure_virtual, ENDING)
{
	derived object;

	object.act();
}

KIND(virtual_call_of_null, 0)
{
	derived *volatile object = nullptr;

	object->act();
}

/* An object whose table of functions is at this address. */
static base *with_table(uint64_t table)
{
	*(uint64_t *)AT(STAGE_DATA) = table;
	return (base *)AT(STAGE_DATA);
}

KIND(virtual_call_without_table, 0)
{
	with_table(0)->act();
}

KIND(virtual_call_garbage_table, 0)
{
	with_table(0x4141414141414141)->act();
}

KIND(virtual_call_unmapped_table, 0)
{
	with_table(STAGE_HOLE)->act();
}

KIND(virtual_call_empty_table, 0)
{
	with_table(STAGE_DATA + 0x100)->act();
}

KIND(virtual_call_garbage_function, 0)
{
	*(uint64_t *)AT(STAGE_DATA + 0x100) = 0xdeadbeefdeadbeef;
	with_table(STAGE_DATA + 0x100)->act();
}

KIND(member_pointer_null, 0)
{
	void (base::*volatile member)() = nullptr;
	derived object;

	(object.*member)();
}

KIND(dynamic_cast_garbage, 0)
{
	volatile bool is = dynamic_cast<derived *>(with_table(0x30)) != nullptr;

	(void)is;
}

KIND(fault_under_catch, 0)
{
	try {
		std::string text("longer than what fits into the object itself");
		*(volatile char *)AT(0x10) = text[0];
	} catch (...) {
		stage_say("caught");
	}
}

struct faults_when_destroyed {
	~faults_when_destroyed()
	{
		*(volatile int *)AT(0x10) = 1;
	}
};

KIND(fault_while_unwinding, ENDING)
{
	try {
		faults_when_destroyed object;
		throw 1;
	} catch (int) {
		stage_say("caught");
	}
}

KIND(shared_null, 0)
{
	std::shared_ptr<derived> nothing;

	nothing->number = 7;
}
