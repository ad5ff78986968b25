/*
 * Calls functions of libraries a known number of times: setenv 3, std::rethrow_exception 2.
 */
#include <cstdlib>
#include <exception>
#include <stdexcept>

int main()
{
	std::exception_ptr kept = std::make_exception_ptr(std::runtime_error("kept"));

	for (int i = 0; i < 3; i++)
		setenv("PLACE", i % 2 ? "here" : "there", 1);
	for (int i = 0; i < 2; i++) {
		try {
			std::rethrow_exception(kept);
		} catch (const std::exception &) {
		}
	}
	return 0;
}
