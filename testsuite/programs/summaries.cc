// SPDX-License-Identifier: GPL-2.0-or-later
// Values of the C++ library; ustap.process/summaries_cxx.stp says what they are.
#include <string>
#include <string_view>
#include <vector>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>
#include <optional>
#include <variant>
#include <memory>
#include <array>
#include <deque>
#include <list>
#include <forward_list>
#include <cstdio>
#include <cstdint>
struct Point {
	int x, y;
};
struct Who {
	std::string name;
	int age;
	std::vector<int> marks;
};
#define NI extern "C" __attribute__((noinline)) void
static volatile long sink;
NI f_str(std::string s, const std::string &r, std::string *p)
{
	sink = s.size() + r.size() + p->size();
}
NI f_view(std::string_view v) { sink = v.size(); }
NI f_vec(std::vector<int> &v, std::vector<std::string> *w, std::vector<Point> q,
	 std::vector<std::vector<int>> n)
{
	sink = v.size() + w->size() + q.size() + n.size();
}
NI f_map(std::map<std::string, int> &m, std::set<int> &s, std::map<char, double> e)
{
	sink = m.size() + s.size() + e.size();
}
NI f_hash(std::unordered_map<std::string, int> &m, std::unordered_set<long> &s)
{
	sink = m.size() + s.size();
}
NI f_opt(std::optional<int> a, std::optional<int> b, std::optional<std::string> &c)
{
	sink = a.has_value() + b.has_value() + c.has_value();
}
NI f_var(std::variant<int, std::string, double> &a, std::variant<int, std::string, double> &b)
{
	sink = a.index() + b.index();
}
NI f_ptr(std::unique_ptr<Point> &a, std::shared_ptr<int> &b, std::unique_ptr<int> &z)
{
	sink = !!a + !!b + !!z;
}
NI f_arr(std::array<short, 4> &a, std::deque<int> &d, std::list<int> &l, std::forward_list<char> &f)
{
	sink = a[0] + d.size() + l.size() + !f.empty();
}
NI f_who(Who &w, Who *p) { sink = w.age + p->age; }
NI f_wide(std::u16string &a, std::u32string &b, std::wstring &c)
{
	sink = a.size() + b.size() + c.size();
}
/* Objects whose words are what a damaged program may have. */
struct Words {
	unsigned long w[8];
};
struct Link {
	Link *next;
	unsigned long more;
	int value;
};
struct Branch {
	int colour;
	Branch *parent, *left, *right;
	int value;
};
NI f_bad(std::string *s, std::vector<int> *v, std::list<int> *l, std::set<int> *t,
	 std::optional<std::set<int>> *o)
{
	sink = s->size() + !!v + !!l + !!t + !!o;
}
NI f_long(std::string &s) { sink = s.size(); }
NI f_odd(Point &p) { sink = p.x + p.y; }   // of what is not read, gcc 14 writes nothing
static void damaged()
{
	static Words text = {{16, 100}}, vec = {{100, 50, 200}}, list;
	static Link link = {&link, 0, 1};
	static struct {
		unsigned long cmp;
		Branch head;
	} tree;
	static Branch b = {0, &b, 0, &b, 1};
	static struct {
		unsigned long cmp;
		int colour;
		Branch *parent, *left, *right;
		unsigned long count;
		bool present;
	} set = {0, 0, &b, &b, &b, 1000, true};

	(void)tree;
	list.w[0] = (unsigned long)&link;
	list.w[2] = 1000000;
	f_bad((std::string *)&text, (std::vector<int> *)&vec, (std::list<int> *)&list,
	      (std::set<int> *)&set, (std::optional<std::set<int>> *)&set);
}
int main()
{
	std::string r = "a longer string that does not fit into the object", p = "tab\there \"q\"";
	f_str("short", r, &p);
	f_view(std::string_view("hello view", 5));
	std::vector<int> v = {1, 2, 3};
	std::vector<std::string> w = {"one", "two"};
	f_vec(v, &w, {{1, 2}, {3, 4}}, {{1}, {}, {2, 3}});
	std::map<std::string, int> m = {{"b", 2}, {"a", 1}, {"c", 3}};
	std::set<int> s = {5, 4, 9};
	f_map(m, s, {});
	std::unordered_map<std::string, int> um = {{"only", 7}};
	std::unordered_set<long> us = {42};
	f_hash(um, us);
	std::optional<std::string> os = "text";
	f_opt(5, {}, os);
	std::variant<int, std::string, double> va = 7, vb = "in a variant";
	f_var(va, vb);
	auto up = std::make_unique<Point>(Point{8, 9});
	auto sp = std::make_shared<int>(77);
	std::unique_ptr<int> z;
	f_ptr(up, sp, z);
	std::array<short, 4> a = {1, 2, 3, 4};
	std::deque<int> d;
	for (int i = 0; i < 200; i++)
		d.push_back(i);
	for (int i = 0; i < 195; i++)
		d.pop_front();
	std::list<int> l = {10, 20};
	std::forward_list<char> f = {'x', 'y'};
	f_arr(a, d, l, f);
	Who who = {"Ada", 36, {1, 2}};
	f_who(who, &who);
	std::u16string u16 = u"caf\u00e9";
	std::u32string u32 = U"\U0001F600!";
	std::wstring ws = L"wide";
	f_wide(u16, u32, ws);
	damaged();
	std::string lots(2000, 'a');
	f_long(lots);
	Point odd = {7, 3};
	f_odd(odd);
}
