// SPDX-License-Identifier: GPL-2.0-or-later
// Values of libc++; ustap.process/summaries_libcxx.stp says what they are.
#include <array>
#include <deque>
#include <forward_list>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <variant>
#include <vector>

static volatile long sink;

extern "C" __attribute__((noinline)) void shown(std::string &s, std::string &l, std::string_view &v,
						std::vector<int> &w, std::array<short, 2> &a,
						std::optional<std::string> &o,
						std::unique_ptr<int> &u, std::shared_ptr<int> &p)
{
	sink = s.size() + l.size() + v.size() + w.size() + a[0] + o->size() + *u + *p;
}

extern "C" __attribute__((noinline)) void trees(std::map<std::string, int> &m, std::set<char> &s,
						std::multimap<int, double> &n, std::set<int> &e)
{
	sink = m.size() + s.size() + n.size() + e.size();
}

extern "C" __attribute__((noinline)) void tables(std::unordered_map<std::string, int> &m,
						 std::unordered_set<long> &s)
{
	sink = m.size() + s.size();
}

extern "C" __attribute__((noinline)) void rows(std::list<int> &l, std::forward_list<short> &f,
					       std::deque<int> &d,
					       std::variant<int, std::string> &v)
{
	sink = l.size() + !f.empty() + d.size() + v.index();
}

static void containers()
{
	std::map<std::string, int> m = {{"b", 2}, {"a", 1}, {"c", 3}};
	std::set<char> s = {'x', 'a'};
	std::multimap<int, double> n = {{1, 0.5}, {1, 1.5}};
	std::set<int> e;
	std::unordered_map<std::string, int> um = {{"only", 7}};
	std::unordered_set<long> us = {42};
	std::list<int> l = {10, 20};
	std::forward_list<short> f = {1, -2};
	std::deque<int> d;
	std::variant<int, std::string> v = "in a variant";

	for (int i = 0; i < 2000; i++)
		d.push_back(i);
	for (int i = 0; i < 1995; i++)
		d.pop_front();
	trees(m, s, n, e);
	tables(um, us);
	rows(l, f, d, v);
}

int main()
{
	std::string s = "short", l = "a longer string that does not fit into the object";
	std::string_view v = "view";
	std::vector<int> w = {1, 2, 3};
	std::array<short, 2> a = {4, 5};
	std::optional<std::string> o = "x";
	auto u = std::make_unique<int>(7);
	auto p = std::make_shared<int>(8);

	shown(s, l, v, w, a, o, u, p);
	containers();
}
