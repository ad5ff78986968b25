/* Objects of the C++ library that change while they are watched, and as arguments. */
#include <atomic>
#include <cstdio>
#include <list>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

struct nothing {};
struct owner : nothing {
	int age;
	std::map<std::string, int> kept;
	std::string name;
};
struct holder {
	std::string held;
};

static std::string word = "one";
static std::string far_text = "a text that is too long to be kept inside";
static std::string lost = "a text whose memory is used again soon";
static std::u16string wide = u"ab";
static std::string_view view = "view of a text";
static std::vector<int> numbers;
static std::list<int> line;
static std::unique_ptr<int> owned;
static std::shared_ptr<int> shared;
static std::tuple<int, char> both(1, 'c');
static std::atomic<int> counted;
static holder inner;

/* As a string is made longer: its memory is freed before it has another. */
static void replace(std::string &text)
{
	std::string longer = text + ", and is longer now";
	text.assign(longer);
}

static int change(const std::string &argument, std::string by_value, const owner &who)
{
	word.push_back('x');
	word.clear();
	inner.held = "in";
	far_text = "another text that is moved here, number " + std::to_string(word.size() + 1);
	replace(lost);
	wide = u"cde";
	view = "other";
	numbers.push_back(4);
	line.push_back(7);
	owned = std::make_unique<int>(3);
	shared = std::make_shared<int>(4);
	both = std::make_tuple(2, 'd');
	counted = 5;
	return (int) (argument.size() + by_value.size() + who.kept.size()); /* changed */
}

static std::string made(int number)
{
	return "number " + std::to_string(number);
}

int main()
{
	owner who = {{}, 1, {{"x", 1}, {"yy", 2}}, "ann"};
	int sum = change("argument", "a text that came by value, and is long", who);
	std::printf("%d %s\n", sum, made(sum).c_str());
	return 0;
}
