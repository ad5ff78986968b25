// Descriptors that C++ opens, which one thread makes and another one closes.
#include <fcntl.h>
#include <fstream>
#include <memory>
#include <mutex>
#include <thread>
#include <unistd.h>
#include <vector>

namespace store
{
class File
{
	std::ifstream stream;

      public:
	explicit File(const char *name) : stream(name)
	{
	}
};

std::vector<std::unique_ptr<File>> files;
std::mutex lock;

__attribute__((noinline)) void load(const char *name)
{
	const std::lock_guard<std::mutex> guard(lock);
	files.push_back(std::make_unique<File>(name));
}
}

extern "C" __attribute__((noinline)) void looked()
{
	__asm__ volatile("");
}

int main()
{
	std::thread other([] {
		for (int i = 0; i < 6; i++)
			store::load("/etc/group");
	});

	other.join();
	store::load("/etc/passwd");
	store::files.erase(store::files.begin(), store::files.begin() + 2);
	looked();
	return 0;
}
