// SPDX-License-Identifier: GPL-2.0-or-later
// Values of libc++; ustap.process/summaries_libcxx.stp says what they are.
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

static volatile long sink;

extern "C" __attribute__((noinline)) void shown(std::string &s, std::string &l, std::string_view &v,
						std::vector<int> &w, std::array<short, 2> &a,
						std::optional<std::string> &o,
						std::unique_ptr<int> &u, std::shared_ptr<int> &p)
{
	sink = s.size() + l.size() + v.size() + w.size() + a[0] + o->size() + *u + *p;
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
}
