/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Exceptions for the probe points of libstdcxx: four types, one is thrown again. */
struct failure { int code; };

namespace { struct local { }; }

static void again()
{
	try {
		throw failure{2};
	} catch (failure &) {
		throw;
	}
}

int main()
{
	int caught = 0;

	try { throw 1; } catch (int n) { caught += n; }
	try { again(); } catch (failure &f) { caught += f.code; }
	try { throw "text"; } catch (const char *) { caught++; }
	try { throw local(); } catch (local &) { caught++; }
	return caught != 5;
}
