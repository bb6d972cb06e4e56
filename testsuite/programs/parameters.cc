/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Functions in sections of their own, one after the other, that return what the debug information says too little of. */
#include <string>

struct sink { long sum; };

inline std::string first(long a, sink &s) { s.sum += a; return "x"; }
inline std::string second(long a, sink &s) { s.sum += 2 * a; return "y"; }
inline std::string third(sink &s, short a) { s.sum += 3 * a; return "z"; }

int main()
{
	sink s = {0};

	for (int i = 1; i < 3; i++) {
		first(100 * i, s);
		second(10 * i, s);
		third(s, -i);
	}
	return s.sum != 351;
}
