/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exceptions of three types, for the marks of the C++ library. */
#include <stdexcept>

struct failure { int code; };

int main()
{
	int caught = 0;

	for (int i = 0; i < 6; i++)
		try {
			if (i % 3 == 0)
				throw i;
			if (i % 3 == 1)
				throw failure{i};
			throw std::runtime_error("late");
		} catch (int n) {
			caught += n;
		} catch (failure &f) {
			caught += f.code;
		} catch (std::exception &) {
			caught++;
		}
	return caught != 10;
}
