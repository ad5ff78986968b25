/* Values behind the C++ library's smart pointers, containers and iterators, and an exception in a function that has
 * containers as arguments. */
#include <atomic>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

struct node {
	int weight;
	std::unique_ptr<node> next;
	std::shared_ptr<std::string> tag;
};

enum kind { RED, GREEN };

struct step {
	static const char *names[3];
	std::string label;
	std::vector<int> counts;
};
const char *step::names[3] = {"begin_of_the_walk", "middle_of_the_walk", "end_of_the_walk"};

struct shape {
	virtual ~shape() {}
	int id = 1;
};
struct circle : shape {
	double r = 2.5;
};
struct other {
	virtual int other_id() { return 7; }
};
struct both : shape, other {
	int w = 9;
};

static int cast(shape *s, other *o, shape &whole)
{
	return s->id + o->other_id() + whole.id; /* in cast */
}

static int use(const step &now, const std::map<std::string, int> &known, step copy, std::size_t at)
{
	std::vector<std::string> words = {"one", "two"};
	std::atomic<int> seen{2};
	int all = (int) (words.size() + known.size()) + seen; /* in use */

	return all + now.counts.at(at) + copy.counts[0];
}

int main()
{
	auto first = std::make_unique<node>();
	first->weight = 3;
	first->tag = std::make_shared<std::string>("blue");
	first->next = std::make_unique<node>();
	first->next->weight = 5;
	std::vector<std::unique_ptr<node>> all;
	all.push_back(std::make_unique<node>());
	all[0]->weight = 8;
	std::optional<int> maybe = 4, none;
	std::map<std::string, int> table = {{"x", 1}, {"yy", 2}};
	std::map<kind, double> kinds = {{GREEN, 2.5}};
	std::unordered_map<int, std::string> names = {{7, "seven"}};
	std::set<int> some = {4, 9};
	std::list<int> line = {11, 12};
	std::string text = "hello", key = "yy";
	std::string_view view(text.data() + 1, 3);
	auto at = table.begin();
	auto it = line.begin();
	auto place = all.begin();
	first->weight = 6; /* all is made */
	std::printf("%d %d %f %zu %zu\n", *maybe + none.has_value() + some.count(4), first->next->weight, kinds[GREEN],
	    names.size() + view.size(), key.size());
	std::printf("%d\n", at->second + *it + (*place)->weight);
	circle round;
	both two;
	std::printf("%d\n", cast(&round, &two, two));
	step now;
	now.label = "first";
	now.counts = {4, 5};
	return use(now, table, now, 1) + use(now, table, now, 7);
}
