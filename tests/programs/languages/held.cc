/* What containers hold, for test_held. */
#include <cstdio>
#include <deque>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <variant>
#include <vector>

struct item {
	std::string name;
	int count;
};

struct shape {
	virtual ~shape() = default;
	int id = 1;
};

struct square : shape {
	int side = 3;
};

int main()
{
	square figure;
	shape *base = &figure;
	std::string brief = "ink", ample = "a text that is longer than fifteen characters";
	std::string_view view = std::string_view("hello world", 5);
	std::vector<int> row{1, 2, 3, 4};
	std::vector<bool> flags{true, false, true};
	std::list<int> list{7, 8};
	std::deque<int> queue{1, 2, 3};
	std::set<std::string> set{"p", "q"};
	std::map<std::string, int> map{{"one", 1}, {"two", 2}};
	std::unordered_map<int, std::string> hashed{{3, "third"}};
	std::optional<std::string> given = "set", empty;
	std::variant<int, std::string> either = std::string("inside");
	std::tuple<int, std::string, double> mixed{1, "two", 3.5};
	auto owned = std::make_unique<item>(item{"pen", 2});
	auto shared = std::make_shared<item>(item{"ink", 1});
	std::printf("%zu\n", row.size() + list.size() + queue.size() + set.size()); /* look */
	std::printf("%zu %zu %d %s%s\n", map.size(), hashed.size(), owned->count,
	    shared->name.c_str(), ample.c_str());
	return base->id != 1 || flags[1] || empty || !given || either.index() != 1 || std::get<0>(mixed) != 1 ||
	       view.empty() || brief.empty();
}
