/*
 * Exceptions that travel in an exception_ptr: of a promise that is dropped, from another thread, by
 * hand, and nested in another one. With an argument the dropped promise's is not caught.
 */
#include <cstdio>
#include <future>
#include <stdexcept>

__attribute__((noinline)) static int fail(int number)
{
	if (number)
		throw std::runtime_error("from fail"); /* thrown */
	return number;
}

__attribute__((noinline)) static void pass()
{
	std::exception_ptr kept;

	try {
		fail(1);
	} catch (...) {
		kept = std::current_exception();
	}
	std::rethrow_exception(kept); /* by hand */
}

__attribute__((noinline)) static void nest()
{
	try {
		fail(1);
	} catch (...) {
		std::throw_with_nested(std::logic_error("outer")); /* around it */
	}
}

__attribute__((noinline)) static void unnest()
{
	try {
		nest();
	} catch (const std::exception &outer) {
		std::rethrow_if_nested(outer); /* what was nested */
	}
}

template <class Action> static void quietly(Action action)
{
	try {
		action();
	} catch (const std::exception &caught) {
		std::puts(caught.what());
	}
}

static std::future<int> drop()
{
	std::promise<int> promise;

	return promise.get_future(); /* dropped */
}

__attribute__((noinline)) static int ask(std::future<int> &answer)
{
	return answer.get(); /* asked */
}

int main(int argc, char **)
{
	std::future<int> never = drop();

	if (argc > 1)
		return ask(never);
	quietly([&] { ask(never); });
	quietly([] {
		std::future<int> other = std::async(std::launch::async, fail, 1);
		ask(other);
	});
	quietly(pass);
	quietly(unnest);
	return 0;
}
