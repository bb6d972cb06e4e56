/* SPDX-License-Identifier: GPL-2.0-or-later */
/* For the examples: exceptions. */
#include <cstdio>
#include <stdexcept>

__attribute__((noinline)) void parse(int i)
{
	if (i == 1)
		throw std::runtime_error("bad");
}

int main()
{
	for (int i = 0; i < 3; i++)
		try {
			parse(i);
		} catch (std::exception &e) {
			puts(e.what());
		}
}
